// Renders the page of all goals.

import type { Goal } from "../../alerts/settings/goals.ts";
import type { Schemas } from "../../http/operations.ts";
import { type Html, html } from "../../ui/html.ts";
import { bilingual, isolated, type Words } from "../../ui/layout.ts";
import { aboutText, section } from "../../ui/section.ts";
import type { PageReply } from "../../ui/serve-pages.ts";
import { type DescribedForm, describedField, type FieldDescription, labelsOf, type Typed } from "../components/described-form.ts";
import { formatNumber } from "../components/donation.ts";
import { type FieldFaults, faultSummary } from "../components/fields.ts";
import { emptyState, type PageContext, pageForm, studioPage } from "../components/frame.ts";
import { goalAddress, paths, widgetAddress } from "../paths.ts";

const goalFields = {
  title: { kind: "text", label: { th: "ชื่อเป้าหมาย", en: "Goal title" } },
  target: { kind: "number", label: { th: "ยอดเป้าหมาย (บาท)", en: "Target amount (baht)" } },
  from: { kind: "day", label: { th: "นับตั้งแต่วันที่", en: "Start date" } },
  to: {
    kind: "day",
    empty: "absent",
    label: { th: "นับถึงวันที่", en: "Last day" },
    hint: { th: "เว้นว่างไว้ถ้าไม่มีวันสิ้นสุด", en: "Leave empty if the goal has no end." },
    words: ({ code }) => (code === "out_of_range" ? { th: "ต้องไม่ก่อนวันเริ่มนับ", en: "Must not be before the start date." } : null),
  },
} as const satisfies Record<keyof Schemas["Goal"], FieldDescription>;

export const goalForm = { schema: "NamedGoal", fields: goalFields } as const satisfies DescribedForm;
export type GoalForm = Typed<typeof goalForm>;

type GoalsPage = PageContext &
  Readonly<{
    goals: readonly Goal[];
    typed: GoalForm;
    faults: FieldFaults;
    /** Of the goal that the form changes; empty for a new one. */
    id: string;
    /** Names that goal as the page shows it. */
    version: string;
  }>;

export function goalsPage(page: GoalsPage): PageReply {
  const { site, goals, faults, id } = page;
  const { goals: listFault, ...fieldFaults } = faults;
  const form = pageForm(page, paths.goals, { content: fields(page) });
  return studioPage({
    ...page,
    here: "/studio/goals",
    title: { th: "เป้าหมาย", en: "Goals" },
    content: html`<div data-here="${site.path(id === "" ? paths.goals : goalAddress(id))}">${section("list", {
      title: { th: "ตามลำดับ", en: "In their order" },
      about: aboutText(about),
      content: goals.length === 0 ? none : html`<ol class="entries">${goals.map((goal, place) => entry(page, goal, place))}</ol>`,
    })}</div>
${section("form", {
  title: id === "" ? { th: "เพิ่มเป้าหมาย", en: "Add a goal" } : { th: "แก้ไขเป้าหมาย", en: "Change the goal" },
  about:
    id !== "" &&
    html`<p><a href="${site.path(paths.goals)}">${bilingual({ th: "เพิ่มเป้าหมายใหม่แทน", en: "Add another goal instead" })}</a></p>`,
  content: html`${listFault && html`<p class="wrong" role="alert">${bilingual(tooMany)}</p>`}${faultSummary(fieldFaults, labelsOf(goalForm))}
${form}`,
})}`,
  });
}

const about = {
  th: "แต่ละเป้าหมายมีลิงก์สำหรับ OBS และหน้าตาของตัวเอง แถบเป้าหมายที่ไม่ได้เลือกแสดงเป้าหมายแรก",
  en: "Each goal has a link for OBS and a look of its own. A goal bar for which none was chosen shows the first.",
};
const none = emptyState(
  "target",
  { th: "ยังไม่มีเป้าหมาย", en: "No goals yet" },
  bilingual({ th: "เพิ่มเป้าหมายแรกด้านล่าง แล้วแถบบนสตรีมจะนับให้", en: "Add the first one below. Its bar on stream counts by itself." }),
);
const tooMany = { th: "มีเป้าหมายได้ไม่เกิน 10 รายการ", en: "There can be at most 10 goals." };

function entry(page: GoalsPage, goal: Goal, place: number): Html {
  const { site, goals } = page;
  const { id, title, target, from, to } = goal;
  const about = (words: Words) => bilingual({ th: `${words.th}: ${title}`, en: `${words.en}: ${title}` });
  const link = { th: "ตั้งค่าและสร้างลิงก์สำหรับ OBS", en: "Set up its link for OBS" };
  return html`<li>
<div class="entry">
<p><a href="${site.path(goalAddress(id))}">${isolated(title)}</a> <span class="amount">฿${formatNumber(target)}</span></p>
<p class="marks">${from} – ${to ?? bilingual({ th: "ไม่มีวันสิ้นสุด", en: "no end" })}</p>
<p><a href="${site.path(widgetAddress({ kind: "goal", goal: id }))}" aria-label="${about(link)}">${bilingual(link)}</a></p>
</div>
<div class="buttons">
${place > 0 && step(page, goal, { to: "up", th: "ขึ้น", en: "Up" })}
${place < goals.length - 1 && step(page, goal, { to: "down", th: "ลง", en: "Down" })}
<details>
<summary>${bilingual({ th: "ลบ…", en: "Delete…" })}</summary>
<p class="note">${bilingual({ th: "กู้คืนไม่ได้ แถบของเป้าหมายนี้จะว่าง โดเนทยังอยู่เหมือนเดิม", en: "This can't be undone. Its bar goes blank; donations stay." })}</p>
${step(page, goal, { to: "away", th: "ลบเป้าหมายนี้", en: "Delete this goal" })}
</details>
</div>
</li>`;
}

function step({ site, account }: GoalsPage, { id, title }: Goal, { to, th, en }: { to: string; th: string; en: string }): Html {
  const content = html`<input type="hidden" name="goal" value="${id}">
<button class="small" name="to" value="${to}" aria-label="${bilingual({ th: `${th}: ${title}`, en: `${en}: ${title}` })}">${bilingual({ th, en })}</button>`;
  return pageForm({ site, account }, paths.moveGoal, { content });
}

function fields({ typed, faults, id, version }: GoalsPage): Html {
  const field = (name: keyof GoalForm) => describedField({ form: goalForm, typed, faults }, name);
  return html`<input type="hidden" name="goal" value="${id}">
<input type="hidden" name="version" value="${version}">
${field("title")}
<div class="pair">
${field("target")}
${field("from")}
${field("to")}
</div>
<button class="main">${bilingual({ th: "บันทึก", en: "Save" })}</button>`;
}
