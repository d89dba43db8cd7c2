// What the alerts page looks like, and the form of its test alert.

import { type Html, html, postForm } from "../../ui/html.ts";
import { bilingual } from "../../ui/layout.ts";
import { type FieldFaults, faultSummary, formatRange, numberField, readNumber, textField } from "../components/fields.ts";
import { guideLink, type PageContext, staleLine, studioPage } from "../components/frame.ts";
import { speechNote, type Voices } from "../components/voice-field.ts";
import { paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";
import { clearQueue, type LiveAlerts, partsOf } from "./live-alerts.ts";

type AlertsPage = PageContext &
  LiveAlerts &
  Readonly<{ test: { typed: TestForm; faults: FieldFaults }; bounds: StudioDeps["bounds"]; speech: Voices["state"] }>;

export function alertsPage(page: AlertsPage): string {
  const { site, account } = page;
  const part = partsOf(page);
  // Folded, except for somebody who has received nothing yet, or typed something that is refused.
  const needsTest = page.latest.length === 0 || Object.keys(page.test.faults).length > 0;
  const form = (id: string, path: string) => postForm({ id, action: site.path(path), formToken: account.formToken });
  return studioPage({
    ...page,
    here: "/studio",
    title: { th: "แจ้งเตือน", en: "Alerts" },
    content: html`${form("controls", paths.control)}${form("replays", paths.replay)}${form("decide", paths.decide)}${form("lead", paths.lead)}
<div class="columns" data-source="${site.path(paths.queue)}">
<section class="card" aria-labelledby="now">
<h2 id="now">${bilingual({ th: "ตอนนี้", en: "Now" })}</h2>
${staleLine}
${part.status}
${part.playing}
${part.overlays}
${part.asking}
<div class="buttons stays">
${part.toggle}
${part.skip}
${part.hide}
</div>
${part.held}
<h3>${bilingual({ th: "รอคิว", en: "Waiting" })}</h3>
${clearQueue(part.clear)}
${part.waiting}
<p><a href="${site.path(paths.dock)}">${bilingual({ th: "แผงใน OBS: คิวและปุ่มเหล่านี้ในแถบแคบ", en: "Dock for OBS: this queue and its buttons in a narrow panel" })}</a></p>
<noscript><p><a href="${site.path(paths.alerts)}">${bilingual({ th: "โหลดหน้านี้ใหม่", en: "Refresh" })}</a></p></noscript>
</section>
<section class="card" aria-labelledby="test">
<h2 id="test">${bilingual({ th: "ทดสอบแจ้งเตือน", en: "Test alert" })}</h2>
<p class="note">${bilingual({ th: "แสดงบนสตรีมเหมือนโดเนทจริง แต่ไม่นับในยอดหรือรายงานใด", en: "Plays on stream like a real alert, but doesn't count in any total or report." })}</p>
${page.speech === "none" && html`<p class="wrong">${speechNote(page.speech)}</p>`}
<details id="test-form"${needsTest && html` open`}>
<summary>${bilingual({ th: "ส่งแจ้งเตือนทดสอบ…", en: "Send a test alert…" })}</summary>
${guideLink(site, "quickstart")}
${postForm({ action: site.path(paths.test), formToken: account.formToken, content: testFields(page) })}
</details>
</section>
</div>
<section class="card" aria-labelledby="latest-title">
<h2 id="latest-title">${bilingual({ th: "โดเนทล่าสุด", en: "Latest donations" })}</h2>
${part.latest}
<p><a href="${site.path(paths.history)}">${bilingual({ th: "โดเนททั้งหมดในประวัติ", en: "All donations, in the history" })}</a></p>
</section>`,
  });
}

const labels = {
  donatorName: { th: "ชื่อผู้โดเนท", en: "Donator" },
  amount: { th: "จำนวนเงิน (บาท)", en: "Amount (baht)" },
  message: { th: "ข้อความ", en: "Message" },
} as const;

function testFields({ test: { typed, faults }, bounds }: AlertsPage): Html {
  const field = (name: keyof TestForm) => ({ name, label: labels[name], typed: typed[name], bounds: bounds("TestAlert", name) });
  const amount = field("amount");
  return html`${faultSummary(faults, labels)}
${textField(field("donatorName"), faults)}
${numberField({ ...amount, hint: html`${formatRange(amount.bounds)}` }, faults)}
${textField(field("message"), faults)}
<button class="main">${bilingual({ th: "ส่งแจ้งเตือนทดสอบ", en: "Send test alert" })}</button>`;
}

/** The form's fields as they were typed. */
export type TestForm = Readonly<{ donatorName: string; amount: string; message: string }>;

/** The form's initial values: the contract's defaults. */
export function initialTestForm(bounds: StudioDeps["bounds"]): TestForm {
  const [donatorName, amount, message] = ["donatorName", "amount", "message"].map((member) =>
    String(bounds("TestAlert", member).default ?? ""),
  );
  return { donatorName: donatorName ?? "", amount: amount ?? "", message: message ?? "" };
}

export function readTestForm(form: URLSearchParams): { typed: TestForm; alert: Record<string, unknown> } {
  const text = (name: string) => (form.get(name) ?? "").replaceAll("\r\n", "\n");
  const typed = { donatorName: text("donatorName"), amount: text("amount"), message: text("message") };
  return { typed, alert: { ...typed, amount: readNumber(typed.amount) } };
}
