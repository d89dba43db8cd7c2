// Renders the page that takes a donation back.

import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { shortTime } from "../../ui/times.ts";
import { type Donation, type VoidReason, voidReasons } from "../components/donation.ts";
import { shownName } from "../components/entry.ts";
import type { FieldFaults } from "../components/field-faults.ts";
import { faultMessages, faultSummary, textField } from "../components/fields.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { formatAmount, voidReasonLabels } from "../components/labels.ts";
import { backAddress, paths } from "../paths.ts";
import type { StudioDeps } from "../studio-deps.ts";

/** What the form was sent with; empty texts at first. `back`: see backAddress. */
export type VoidForm = Readonly<Record<"donation" | "back" | "reason" | "note", string>>;

type VoidPage = PageContext &
  Readonly<{ donation: Donation; form: Readonly<{ typed: VoidForm; faults: FieldFaults }>; bounds: StudioDeps["bounds"] }>;

const labels = {
  reason: { th: "เหตุผล", en: "Reason" },
  note: { th: "หมายเหตุ (ไม่บังคับ มีแต่คุณที่เห็น)", en: "Note (optional, only you see it)" },
} as const;

export function voidPage(page: VoidPage): string {
  const { site, account, donation, form } = page;
  const { donatorName, amount, currency, message, createdAt } = donation;
  return studioPage({
    ...page,
    here: form.typed.back === "donation" ? paths.history : paths.alerts,
    title: { th: "ทำให้โดเนทเป็นโมฆะ", en: "Void a donation" },
    content: html`<p data-here="${site.path(`${paths.void}?${new URLSearchParams({ donation: donation.id, back: form.typed.back })}`)}"><a href="${site.path(backAddress(form.typed.back, donation.id))}">${bilingual({ th: "กลับ", en: "Back" })}</a></p>
<section class="card" aria-labelledby="which">
<h2 id="which">${shownName(donatorName)} <span class="amount">${formatAmount(amount, currency)}</span></h2>
${message !== "" && html`<p class="said">${isolated(message)}</p>`}
<p class="marks">${shortTime(createdAt)}</p>
<p>${bilingual(consequences)}</p>
${faultSummary(form.faults, labels)}
${postForm({ action: site.path(paths.void), formToken: account.formToken, content: fields(page) })}
</section>`,
  });
}

const consequences: Bilingual = {
  th: "โดเนทจะยังอยู่ในประวัติ แต่ไม่นับในยอด รายงาน เป้าหมาย และวิดเจ็ตอีก แจ้งเตือนที่รออยู่จะไม่แสดง ที่กำลังแสดงจะหยุด และย้อนกลับไม่ได้",
  en: "The donation stays in the history and counts in no total, report, goal or widget any more. Its alert is not shown, or stopped. This can't be undone.",
};

function fields({ donation, form, bounds }: VoidPage): Html {
  const { typed, faults } = form;
  return html`<input type="hidden" name="donation" value="${donation.id}"><input type="hidden" name="back" value="${typed.back}">
<fieldset id="field-reason"${faults["reason"] && html` aria-describedby="field-reason-fault"`}>
<legend>${bilingual(labels.reason)}</legend>
${voidReasons.map((reason) => choice(reason, typed.reason === reason))}
${faultMessages("reason", faults)}
</fieldset>
${textField({ name: "note", label: labels.note, typed: typed.note, bounds: bounds("VoidRequest", "note") }, faults)}
<button class="main">${bilingual({ th: "ทำให้เป็นโมฆะ", en: "Void this donation" })}</button>`;
}

function choice(reason: VoidReason, chosen: boolean): Html {
  return html`<div class="check">
<input type="radio" id="reason-${reason}" name="reason" value="${reason}" required${chosen && html` checked`}>
<label for="reason-${reason}">${bilingual(voidReasonLabels[reason])}</label>
</div>`;
}
