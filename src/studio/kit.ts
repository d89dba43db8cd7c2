// Every component of the studio's pages in both themes, for whoever changes one. It is there while the server's address is this machine's.

import type { Site } from "../http/base-url.ts";
import { donationExample } from "../http/contract/published.ts";
import { type Html, html } from "../ui/html.ts";
import { icon, iconNames } from "../ui/icons.ts";
import { bilingual } from "../ui/layout.ts";
import { type Theme, themes } from "../ui/reader.ts";
import { aboutText, section } from "../ui/section.ts";
import type { PageHandler, PageRoutes } from "../ui/serve-pages.ts";
import { progressLine } from "./alerts/playing-time.ts";
import { type Donation, formatAmount, maskLabel, renderEntry, stateLabel, testMark } from "./components/donation.ts";
import { donationTable } from "./components/donation-table.ts";
import { checkField, choiceField, type FieldFaults, numberField, textAreaField, textField } from "./components/fields.ts";
import { emptyState, fact, mainAction, secretField, studioPage } from "./components/frame.ts";
import { amountLine, amountScale } from "./designer/amount-line.ts";
import { paths } from "./paths.ts";
import type { StudioDeps } from "./studio-deps.ts";

/** The route of the page, for a server that only this machine reaches; elsewhere none. */
export function kitPages(deps: StudioDeps): PageRoutes {
  const { hostname } = new URL(deps.accounts.site.baseUrl);
  return ["127.0.0.1", "localhost"].includes(hostname) ? { [`GET ${paths.kit}`]: showKit(deps) } : {};
}

const showKit = ({ accounts }: StudioDeps): PageHandler =>
  accounts.page(paths.settings, async ({ account }) => {
    const { site } = accounts;
    const content = html`<div data-here="${site.path(paths.kit)}">${themes.map((theme) => inTheme(site, theme))}</div>`;
    const title = { th: "ชุดส่วนประกอบ", en: "Kit" };
    const action = mainAction("#light", { th: "ปุ่มหลักของหน้า", en: "Main action" });
    return studioPage({ site, account, here: paths.settings, title, action, content });
  });

function inTheme(site: Site, theme: Theme): Html {
  return html`<section class="kit" id="${theme}" data-theme="${theme}" aria-labelledby="${theme}-name"><h2 id="${theme}-name">${theme}</h2>
<div class="card"><h3>${bilingual({ th: "ปุ่ม", en: "Buttons" })}</h3><div class="buttons">${buttons.map(button)}</div>
<p><a href="${site.path(paths.kit)}">${bilingual({ th: "ลิงก์ในข้อความ", en: "A link in a text" })}</a></p></div>
<div class="card"><h3>${bilingual({ th: "ข้อความ", en: "Messages" })}</h3>
<p class="right">${bilingual({ th: "บันทึกแล้ว", en: "Saved." })}</p><p class="wrong">${bilingual({ th: "ยังไม่ได้บันทึก", en: "Not saved." })}</p>
<p class="note">${bilingual({ th: "คำอธิบายสั้นๆ", en: "A note." })}</p>${states.map(state)}</div>
<div class="card"><h3>${bilingual({ th: "ตัวเลขและรายการ", en: "Figures and entries" })}</h3>
<dl class="figures">${[123.45, 98_765, 1_448_048.67].map(figure)}</dl>
<ul class="entries">${entries.map((marks) => html`<li>${renderEntry({ donatorName: "สมชาย ใจดี", amount: 500, currency: "THB", message: "สู้ ๆ นะครับ", marks })}</li>`)}</ul></div>
<div class="card"><h3>${bilingual({ th: "ตาราง", en: "Table" })}</h3>${donationTable({ site, donations: donations(theme), held: new Set(), caption: { th: "ตัวอย่าง", en: "Examples" } })}</div>
<div class="card"><h3>${bilingual({ th: "สิ่งที่กำลังเล่น", en: "What plays" })}</h3>${progressLine({ from: instantIn(-10_000), to: instantIn(20_000) })}
${amountLine([{ from: 20, to: 500 }], 1_000_000)}${amountScale(1_000_000)}</div>
${section(`${theme}-fields`, { title: { th: "ช่องกรอก", en: "Fields" }, about: aboutText({ th: "คำอธิบายของส่วนนี้", en: "What this section is for." }), content: fields(theme) })}
<div class="card">${emptyState("inbox", { th: "ยังไม่มีรายการ", en: "Nothing yet." }, bilingual({ th: "จะมาอยู่ที่นี่", en: "It will stand here." }))}</div>
<div class="card"><h3>${bilingual({ th: "ไอคอน", en: "Icons" })}</h3><div class="buttons">${iconNames.map(icon)}</div></div>
</section>`;
}

function instantIn(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

const buttons = ["main", "", "quiet", "danger", "main danger", "small", "small good"] as const;

function button(rank: string): Html {
  return html`<button type="button" class="${rank}">${rank || "second"}</button><button type="button" class="${rank}" disabled>off</button>`;
}

const states = ["good", "paused", "away"] as const;

function state(kind: string): Html {
  return html`<p class="state ${kind}"><span>${kind}</span></p>`;
}

function figure(amount: number): Html {
  return fact({ th: "เดือนนี้", en: "This month" }, html`<span class="sum">${formatAmount(amount, "THB")}</span><small>12 %</small>`);
}

const entries: readonly (readonly Html[])[] = [
  [stateLabel({ status: "queued", reason: null }, true), maskLabel, testMark],
  (["queued", "playing", "shown", "skipped", "expired"] as const).map((status) => stateLabel({ status, reason: null })),
];

/** One whose alert was shown, and a void one. */
function donations(theme: Theme): Donation[] {
  const voided = { at: donationExample.createdAt, reason: "refund" } as const;
  return [donationExample, { ...donationExample, voided }].map((donation, place) => ({ ...donation, id: `${theme}-${place}` }));
}

function fields(theme: Theme): Html {
  const field = (name: string, en: string, th: string) => ({ name: `${theme}.${name}`, label: { th, en }, typed: "" });
  const wrong: FieldFaults = { [`${theme}.amount`]: [{ pointer: "/amount", code: "out_of_range", message: "must be at most 100" }] };
  const choices = [["a", { th: "แบบแรก", en: "First" }] as const];
  return html`${textField({ ...field("name", "Name", "ชื่อ"), hint: bilingual({ th: "ไม่บังคับ", en: "Optional." }) }, {})}
${numberField(field("amount", "Amount", "จำนวนเงิน"), wrong)}
${choiceField({ ...field("choice", "Choice", "ตัวเลือก"), choices }, {})}
${textAreaField(field("text", "Text", "ข้อความ"), {})}
${checkField({ ...field("check", "Speak it", "อ่านออกเสียง"), checked: true })}
${secretField({ id: `${theme}-secret`, label: { th: "ความลับ", en: "Secret" }, value: "not-a-secret" })}`;
}
