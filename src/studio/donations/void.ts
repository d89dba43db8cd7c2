// Takes a donation back: a page that asks for the reason, and thereby for a confirmation, and its form.

import { boundsOf } from "../../http/contract/published.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { aboutText, section } from "../../ui/section.ts";
import type { PageHandler, PageReply } from "../../ui/serve-pages.ts";
import type { Account } from "../../ui/streamer-pages.ts";
import { shortTime } from "../../ui/times.ts";
import { type Donation, formatAmount, shownName, type VoidReason, voidReasonLabels, voidReasons } from "../components/donation.ts";
import { type FieldFaults, faultMessages, faultSummary, faultsByField, radioField, textField } from "../components/fields.ts";
import { backLink, type PageContext, pageForm, studioPage } from "../components/frame.ts";
import { backTo, orBack, type WaysBack } from "../notices.ts";
import { backAddress, paths, placeOf, voidAddress } from "../paths.ts";
import { findDonation } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";

/** GET /studio/void */
export const showVoid = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.alerts, ({ account, query }) =>
    orBack(deps.accounts.site, waysBack, () =>
      renderVoid(deps, account, { typed: { ...placeOf(query), reason: "", note: "" }, faults: {} }),
    ),
  );

/** POST /studio/void */
export const voidDonation = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.alerts, ({ account, form }) =>
    orBack(deps.accounts.site, waysBack, async () => {
      const typed = { ...placeOf(form), reason: form.get("reason") ?? "", note: form.get("note") ?? "" };
      const { reason, note } = typed;
      const sent = { path: { donationId: typed.donation }, body: { ...(reason && { reason }), ...(note && { note }) } };
      const faults = await faultsByField(() => deps.client.call(account.streamer.id, "voidDonation", sent));
      if (faults) return renderVoid(deps, account, { typed, faults });
      return backTo(deps.accounts.site, backAddress(typed.back, typed.donation), "voided");
    }),
  );

async function renderVoid(deps: StudioDeps, account: Account, form: { typed: VoidForm; faults: FieldFaults }): Promise<PageReply> {
  const { accounts, client } = deps;
  const donation = await findDonation(client, account.streamer.id, form.typed.donation);
  if (donation.voided) return backTo(accounts.site, backAddress(form.typed.back, donation.id), "voided-already");
  const status = Object.keys(form.faults).length > 0 ? 400 : 200;
  return voidPage({ site: accounts.site, account, status, donation, form });
}

/** There is no such donation, or it was voided for another reason meanwhile. */
const waysBack: WaysBack = {
  donation_not_found: [paths.alerts, "no-donation"],
  already_voided: [paths.alerts, "voided-already"],
};

/** What the form was sent with; empty texts at first. `back`: see backAddress. */
type VoidForm = Readonly<Record<"donation" | "back" | "reason" | "note", string>>;

type VoidPage = PageContext & Readonly<{ donation: Donation; form: Readonly<{ typed: VoidForm; faults: FieldFaults }> }>;

const labels = {
  reason: { th: "เหตุผล", en: "Reason" },
  note: { th: "หมายเหตุ (ไม่บังคับ มีแต่คุณที่เห็น)", en: "Note (optional, only you see it)" },
} as const;

function voidPage(page: VoidPage): PageReply {
  const { site, donation, form } = page;
  const { donatorName, amount, currency, message, createdAt } = donation;
  const which = html`${shownName(donatorName)} <span class="amount">${formatAmount(amount, currency)}</span>`;
  return studioPage({
    ...page,
    here: form.typed.back === "donation" ? paths.history : paths.alerts,
    title: { th: "ทำให้โดเนทเป็นโมฆะ", en: "Void a donation" },
    content: html`${backLink(site, { here: voidAddress(donation.id, form.typed.back), to: backAddress(form.typed.back, donation.id), words: { th: "กลับ", en: "Back" } })}
${section("which", {
  title: { th: which, en: which },
  about: html`${message !== "" && html`<p class="said">${isolated(message)}</p>`}<p class="marks">${shortTime(createdAt)}</p>${aboutText(consequences)}`,
  content: html`${faultSummary(form.faults, labels)}
${pageForm(page, paths.void, { content: fields(page) })}`,
})}`,
  });
}

const consequences: Bilingual = {
  th: "โดเนทจะยังอยู่ในประวัติ แต่ไม่นับในยอด รายงาน เป้าหมาย และวิดเจ็ตอีก แจ้งเตือนที่รออยู่จะไม่แสดง ที่กำลังแสดงจะหยุด และย้อนกลับไม่ได้",
  en: "The donation stays in the history and counts in no total, report, goal or widget any more. Its alert is not shown, or stopped. This can't be undone.",
};

function fields({ donation, form }: VoidPage): Html {
  const { typed, faults } = form;
  const choice = (value: VoidReason) =>
    radioField({
      id: `reason-${value}`,
      name: "reason",
      value,
      label: voidReasonLabels[value],
      checked: value === typed.reason,
      isRequired: true,
    });
  return html`<input type="hidden" name="donation" value="${donation.id}"><input type="hidden" name="back" value="${typed.back}">
<fieldset id="field-reason"${faults["reason"] && html` aria-describedby="field-reason-fault"`}>
<legend>${bilingual(labels.reason)}</legend>
${voidReasons.map(choice)}
${faultMessages("reason", faults)}
</fieldset>
${textField({ name: "note", label: labels.note, typed: typed.note, bounds: boundsOf("VoidRequest", "note") }, faults)}
<button class="main danger">${bilingual({ th: "ทำให้เป็นโมฆะ", en: "Void this donation" })}</button>`;
}
