// Renders the page that asks before an alert is replayed that was kept off the stream.

import { postForm } from "../../ui/form.ts";
import { html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { shortTime } from "../../ui/times.ts";
import type { Donation } from "../components/donation.ts";
import { shownName } from "../components/entry.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { formatAmount, maskLabel, stateLabel } from "../components/labels.ts";
import { backAddress, paths, replayAddress } from "../paths.ts";
import type { AskedReason } from "./replay-question.ts";

type ReplayPage = PageContext & Readonly<{ donation: Donation; reason: AskedReason; back: string }>;

export function replayPage(page: ReplayPage): string {
  const { site, account, donation, reason, back } = page;
  const { id, donatorName, amount, currency, message, createdAt, alert } = donation;
  const content = html`<input type="hidden" name="donation" value="${id}"><input type="hidden" name="back" value="${back}">
<button class="main" name="despite" value="${reason}">${bilingual({ th: "เล่นซ้ำบนสตรีม", en: "Replay on stream" })}</button>`;
  return studioPage({
    ...page,
    here: back === "donation" ? paths.history : paths.alerts,
    title: { th: "เล่นแจ้งเตือนนี้ซ้ำหรือไม่", en: "Replay this alert?" },
    content: html`<p data-here="${site.path(replayAddress(id, back))}"><a href="${site.path(backAddress(back, id))}">${bilingual({ th: "กลับ ไม่เล่นซ้ำ", en: "Back, without a replay" })}</a></p>
<section class="card" aria-labelledby="which">
<h2 id="which">${shownName(donatorName)} <span class="amount">${formatAmount(amount, currency)}</span></h2>
${message !== "" && html`<p class="said">${isolated(message)}</p>`}
<p class="marks">${stateLabel(alert)}${alert.masked && maskLabel}${shortTime(createdAt)}</p>
<p>${bilingual(reasons[reason])}</p>
<p>${bilingual(alert.masked ? amountAlone : everything)}</p>
${postForm({ action: site.path(paths.replay), formToken: account.formToken, content })}
</section>`,
  });
}

const reasons: Record<AskedReason, Bilingual> = {
  denied: { th: "คุณหรือผู้ดูแลไม่อนุมัติแจ้งเตือนนี้", en: "You or a moderator denied this alert." },
  timed_out: { th: "ไม่มีใครอนุมัติแจ้งเตือนนี้ทันเวลา", en: "Nobody approved this alert in time." },
  filtered: { th: "แจ้งเตือนนี้ไม่แสดง เพราะมีคำต้องห้าม", en: "This alert wasn't shown, because of a blocked word." },
};

/** A replay passes the filters and approvals of the settings; blocked words stay masked where the settings mask them. */
const everything: Bilingual = {
  th: "ถ้าเล่นซ้ำ ชื่อและข้อความจะขึ้นบนสตรีมโดยไม่ต้องรออนุมัติ และคำต้องห้ามไม่กันไว้อีก",
  en: "A replay shows its name and message on stream: it isn't held for approval, and blocked words don't keep it off.",
};
const amountAlone: Bilingual = {
  th: "ถ้าเล่นซ้ำ จะแสดงแต่ยอดเงิน ไม่แสดงชื่อและข้อความ",
  en: "A replay shows its amount only, without name and message.",
};
