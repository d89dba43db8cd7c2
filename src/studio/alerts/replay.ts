// Replays an alert: at once, or after a question where a decision or a filter has kept it off the stream, where a replay would show it.

import { html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { type PageHandler, type PageReply, seeOther } from "../../ui/serve-pages.ts";
import { shortTime } from "../../ui/times.ts";
import { type Donation, formatAmount, maskLabel, shownName, stateLabel } from "../components/donation.ts";
import { backLink, type PageContext, pageForm, studioPage } from "../components/frame.ts";
import { backTo, orBack, type WaysBack } from "../notices.ts";
import { backAddress, type DonationPlace, paths, placeOf, replayAddress } from "../paths.ts";
import { findDonation } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";

/** GET /studio/replay: the question. */
export const showReplay = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.alerts, ({ account, query }) => {
    const { accounts, client } = deps;
    const place = placeOf(query);
    return orBack(accounts.site, waysBack(place), async () => {
      const donation = await findDonation(client, account.streamer.id, place.donation);
      if (donation.voided) return backTo(accounts.site, backAddress(place.back, donation.id), "voided-already");
      const reason = whyKeptOff(donation);
      // An alert that nobody keeps off the stream any more is replayed by the button of its page.
      if (reason === null) return seeOther(accounts.site.path(backAddress(place.back, donation.id)));
      return replayPage({ site: accounts.site, account, donation, reason, back: place.back });
    });
  });

/**
 * POST /studio/replay. `despite`: the reason that the question named. Asked here rather than by the page alone, because a moderator may have
 * denied the alert since the page was loaded.
 */
export const replayAlert = (deps: StudioDeps): PageHandler =>
  deps.accounts.form(paths.alerts, ({ account, form }) => {
    const { accounts, client } = deps;
    const place = placeOf(form);
    return orBack(accounts.site, waysBack(place), async () => {
      const reason = whyKeptOff(await findDonation(client, account.streamer.id, place.donation));
      if (reason !== null && form.get("despite") !== reason) return seeOther(accounts.site.path(replayAddress(place.donation, place.back)));
      await client.call(account.streamer.id, "replayAlert", { path: { donationId: place.donation } });
      return backTo(accounts.site, backAddress(place.back, place.donation), "replayed");
    });
  });

function waysBack({ donation, back }: DonationPlace): WaysBack {
  const noDonation = back === "dock" ? paths.dock : paths.alerts;
  return {
    donation_not_found: [noDonation, "no-donation"],
    alert_not_found: [noDonation, "no-donation"],
    alert_state_conflict: [backAddress(back, donation), "in-queue"],
  };
}

const askedReasons = ["denied", "timed_out", "filtered"] as const;
type AskedReason = (typeof askedReasons)[number];

/** Why the donation's alert was kept off the stream; null for an alert that a replay needs no question for. */
export function whyKeptOff({ alert: { status, reason } }: Donation): AskedReason | null {
  return status === "skipped" ? (askedReasons.find((asked) => asked === reason) ?? null) : null;
}

type ReplayPage = PageContext & Readonly<{ donation: Donation; reason: AskedReason; back: string }>;

function replayPage(page: ReplayPage): PageReply {
  const { site, donation, reason, back } = page;
  const { id, donatorName, amount, currency, message, createdAt, alert } = donation;
  const content = html`<input type="hidden" name="donation" value="${id}"><input type="hidden" name="back" value="${back}">
<button class="main" name="despite" value="${reason}">${bilingual({ th: "เล่นซ้ำบนสตรีม", en: "Replay on stream" })}</button>`;
  return studioPage({
    ...page,
    here: back === "donation" ? paths.history : paths.alerts,
    title: { th: "เล่นแจ้งเตือนนี้ซ้ำหรือไม่", en: "Replay this alert?" },
    content: html`${backLink(site, { here: replayAddress(id, back), to: backAddress(back, id), words: { th: "กลับ ไม่เล่นซ้ำ", en: "Back, without a replay" } })}
<section class="card" aria-labelledby="which">
<h2 id="which">${shownName(donatorName)} <span class="amount">${formatAmount(amount, currency)}</span></h2>
${message !== "" && html`<p class="said">${isolated(message)}</p>`}
<p class="marks">${stateLabel(alert)}${alert.masked && maskLabel}${shortTime(createdAt)}</p>
<p>${bilingual(reasons[reason])}</p>
<p>${bilingual(alert.masked ? amountAlone : everything)}</p>
${pageForm(page, paths.replay, { content })}
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
