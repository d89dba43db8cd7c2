import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { bilingual } from "../../ui/layout.ts";
import { type FieldFaults, positionOf } from "../faults.ts";
import { paths } from "../paths.ts";
import { type SettingsForm, splitWords } from "../settings-form.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { checkField, dateField, faultSummary, formatRange, isInRange, numberField, textAreaField, textField } from "./fields.ts";
import { type PageContext, studioPage } from "./frame.ts";

type SettingsPage = PageContext & Readonly<{ typed: SettingsForm; faults: FieldFaults; bounds: StudioDeps["bounds"] }>;

export function settingsPage(page: SettingsPage): string {
  const { site, account } = page;
  return studioPage({
    ...page,
    here: "/studio/settings",
    title: { th: "ตั้งค่า", en: "Settings" },
    content: html`${faultSummary(page.faults, labels)}
${postForm({ action: site.path(paths.settings), formToken: account.formToken, content: fields(page) })}`,
  });
}

const labels = {
  minimumAmount: { th: "ยอดขั้นต่ำที่แจ้งเตือน (บาท)", en: "Minimum amount for an alert (baht)" },
  blockedWords: { th: "คำต้องห้าม", en: "Blocked words" },
  volume: { th: "ความดัง (%)", en: "Volume (%)" },
  speech: { th: "อ่านออกเสียง", en: "Read aloud" },
  minimumSeconds: { th: "แสดงอย่างน้อย (วินาที)", en: "Minimum display time (seconds)" },
  maximumSeconds: { th: "แสดงไม่เกิน (วินาที)", en: "Maximum display time (seconds)" },
  "goal.title": { th: "ชื่อเป้าหมาย", en: "Goal title" },
  "goal.target": { th: "ยอดเป้าหมาย (บาท)", en: "Target amount (baht)" },
  "goal.from": { th: "นับตั้งแต่วันที่", en: "Start date" },
} as const;

function fields({ typed, faults, bounds }: SettingsPage): Html {
  const field = <Name extends Exclude<keyof SettingsForm, "speech">>(name: Name) => {
    const [group, member] = name.split(".");
    return {
      name,
      label: labels[name],
      typed: typed[name],
      bounds: member ? bounds("Goal", member) : bounds("AlertSettings", group ?? ""),
    };
  };
  const number = (name: NumberName, more: Html | null = null) => {
    const one = field(name);
    return numberField({ ...one, hint: html`${formatRange(one.bounds)}${more}` }, faults);
  };
  const maximum = field("maximumSeconds");
  const words = splitWords(typed.blockedWords);
  const subject: Parameters<typeof textAreaField>[0]["subject"] = (fault) => words[positionOf(fault) ?? -1] ?? null;
  return html`<section class="card" aria-labelledby="which">
<h2 id="which">${bilingual({ th: "แจ้งเตือนใดบ้าง", en: "Which alerts" })}</h2>
${number("minimumAmount", bilingual(belowMinimum))}
${textAreaField({ ...field("blockedWords"), hint: bilingual(blocked), subject }, faults)}
</section>
<section class="card" aria-labelledby="how">
<h2 id="how">${bilingual({ th: "เสียงและเวลา", en: "Sound and time" })}</h2>
${checkField({ name: "speech", label: labels.speech, hint: bilingual(aloud), checked: typed.speech })}
${number("volume")}
<div class="pair">
${number("minimumSeconds")}
${numberField({ ...maximum, hint: html`${formatRange(maximum.bounds)}`, words: () => (isInRange(maximum.typed, maximum.bounds) ? shorter : null) }, faults)}
</div>
</section>
<section class="card" aria-labelledby="goal">
<h2 id="goal">${bilingual({ th: "เป้าหมาย", en: "Goal title" })}</h2>
<p class="note">${bilingual({ th: "เว้นชื่อและยอดว่างไว้ถ้าไม่มีเป้าหมาย", en: "Leave title and target empty if you have no goal." })}</p>
${textField(field("goal.title"), faults)}
<div class="pair">
${number("goal.target")}
${dateField(field("goal.from"), faults)}
</div>
</section>
<button class="main">${bilingual({ th: "บันทึก", en: "Save" })}</button>`;
}

type NumberName = "minimumAmount" | "volume" | "minimumSeconds" | "goal.target";

const belowMinimum = {
  th: " โดเนทที่ต่ำกว่านี้ไม่แจ้งเตือน แต่ยังนับในยอดและวิดเจ็ต",
  en: "Smaller donations don't trigger an alert, but still count in totals and widgets.",
};
const blocked = {
  th: "บรรทัดละหนึ่งคำหรือวลี โดเนทที่มีคำเหล่านี้ในชื่อหรือข้อความจะไม่แจ้งเตือน",
  en: "One word or phrase per line. A donation whose name or message contains one of them doesn't trigger an alert.",
};
const shorter = { th: "ต้องไม่น้อยกว่าเวลาแสดงอย่างน้อย", en: "Must not be less than the minimum display time." };
const aloud = { th: "อ่านชื่อ จำนวนเงิน และข้อความ", en: "Reads out name, amount and message." };
