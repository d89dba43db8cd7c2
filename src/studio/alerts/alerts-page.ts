// What the alerts page looks like, and the form of its test alert.

import { boundsOf } from "../../http/contract/published.ts";
import { type Html, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import type { PageReply } from "../../ui/serve-pages.ts";
import { moderatorForm } from "../account/api-keys.ts";
import { type FieldFaults, faultSummary, formatRange, numberField, readNumber, textField } from "../components/fields.ts";
import { guideLink, type PageContext, pageForm, staleLine, studioPage } from "../components/frame.ts";
import { speechNote, type Voices } from "../components/voice-field.ts";
import { paths } from "../paths.ts";
import { clearQueue, type LiveAlerts, partsOf } from "./live-alerts.ts";

export type AlertsPage = PageContext & LiveAlerts & Readonly<{ test: { typed: TestForm; faults: FieldFaults }; speech: Voices["state"] }>;

export function alertsPage(page: AlertsPage): PageReply {
  const { site } = page;
  const part = partsOf(page);
  // Folded, except for somebody who has received nothing yet, or typed something that is refused.
  const needsTest = page.latest.length === 0 || Object.keys(page.test.faults).length > 0;
  const form = (id: string, path: string) => pageForm(page, path, { id });
  return studioPage({
    ...page,
    here: "/studio",
    title: { th: "แจ้งเตือน", en: "Alerts" },
    content: html`${form("controls", paths.control)}${form("replays", paths.replay)}${form("decide", paths.decide)}${form("lead", paths.lead)}
<div class="columns" data-source="${site.path(paths.queue)}">
<div>
<section class="card" aria-labelledby="now">
<div class="titled"><h2 id="now">${bilingual({ th: "ตอนนี้", en: "Now" })}</h2>${part.status}</div>
${staleLine}
${part.playing}
${part.asking}
<div class="buttons stays">
${part.toggle}
${part.skip}
${part.hide}
</div>
${part.held}
${part.overlays}
</section>
<section class="card" aria-labelledby="waiting">
<div class="titled"><h2 id="waiting">${bilingual({ th: "รอคิว", en: "Waiting" })}</h2>${clearQueue(part.clear)}</div>
${part.waiting}
</section>
</div>
<div>
<section class="card" aria-labelledby="test">
<h2 id="test">${bilingual({ th: "ทดสอบแจ้งเตือน", en: "Test alert" })}</h2>
<p class="note">${bilingual({ th: "แสดงบนสตรีมเหมือนโดเนทจริง แต่ไม่นับในยอดหรือรายงานใด", en: "Plays on stream like a real alert, but doesn't count in any total or report." })}</p>
${page.speech === "none" && html`<p class="wrong">${speechNote(page.speech)}</p>`}
${pageForm(page, paths.test, { content: testFields(page, needsTest) })}
</section>
<section class="card" aria-labelledby="latest-title">
<div class="titled"><h2 id="latest-title">${bilingual({ th: "โดเนทล่าสุด", en: "Latest donations" })}</h2><a href="${site.path(paths.history)}" aria-label="${bilingual({ th: "ทั้งหมด ในประวัติโดเนท", en: "All donations, in the history" })}">${bilingual({ th: "ทั้งหมด", en: "All" })}</a></div>
${part.latest}
</section>
<section class="card" aria-labelledby="elsewhere">
<h2 id="elsewhere">${bilingual({ th: "คิวนี้บนจออื่น", en: "This queue on another screen" })}</h2>
<ul class="entries">
<li class="narrow">${icon("users")}${screen({ th: "มือถือและผู้ดูแล", en: "Phone and moderators" }, { th: "ลิงก์ที่เปิดได้โดยไม่ต้องเข้าสู่ระบบ", en: "A link that opens without a login." })}${moderatorForm(page, { th: "สร้างลิงก์", en: "Create a link" })}</li>
<li class="narrow">${icon("panel-right")}${screen({ th: "แผงใน OBS", en: "Dock for OBS" }, { th: "แถบแคบข้างภาพตัวอย่าง", en: "A narrow panel beside your preview." })}<a class="button" href="${site.path(paths.dock)}">${bilingual({ th: "เปิด", en: "Open" })}</a></li>
</ul>
</section>
</div>
</div>
<noscript><p><a href="${site.path(paths.alerts)}">${bilingual({ th: "โหลดหน้านี้ใหม่", en: "Refresh" })}</a></p></noscript>`,
  });
}

function screen(name: Bilingual, about: Bilingual): Html {
  return html`<div class="entry"><p><strong>${bilingual(name)}</strong></p><p class="marks">${bilingual(about)}</p></div>`;
}

const labels = {
  donatorName: { th: "ชื่อผู้โดเนท", en: "Donator" },
  amount: { th: "จำนวนเงิน (บาท)", en: "Amount (baht)" },
  message: { th: "ข้อความ", en: "Message" },
} as const;

/** Its values are sent as they are while the fields are folded. */
function testFields({ site, test: { typed, faults } }: AlertsPage, isOpen: boolean): Html {
  const field = (name: keyof TestForm) => ({ name, label: labels[name], typed: typed[name], bounds: boundsOf("TestAlert", name) });
  const amount = field("amount");
  return html`${faultSummary(faults, labels)}
<button class="main">${icon("send")}${bilingual({ th: "ส่งแจ้งเตือนทดสอบ", en: "Send test alert" })}</button>
<details id="test-form"${isOpen && html` open`}>
<summary>${bilingual({ th: "ชื่อ จำนวนเงิน ข้อความ…", en: "Name, amount, message…" })}</summary>
${textField(field("donatorName"), faults)}
${numberField({ ...amount, hint: formatRange(amount.bounds) }, faults)}
${textField(field("message"), faults)}
${guideLink(site, "quickstart")}
</details>`;
}

/** The form's fields as they were typed. */
export type TestForm = Readonly<{ donatorName: string; amount: string; message: string }>;

const usual = (member: keyof TestForm) => String(boundsOf("TestAlert", member).default ?? "");

/** The form's initial values: the contract's defaults. */
export const initialTestForm: TestForm = { donatorName: usual("donatorName"), amount: usual("amount"), message: usual("message") };

export function readTestForm(form: URLSearchParams): { typed: TestForm; alert: Record<string, unknown> } {
  const text = (name: string) => (form.get(name) ?? "").replaceAll("\r\n", "\n");
  const typed = { donatorName: text("donatorName"), amount: text("amount"), message: text("message") };
  return { typed, alert: { ...typed, amount: readNumber(typed.amount) } };
}
