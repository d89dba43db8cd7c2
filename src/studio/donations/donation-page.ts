// Renders the page of one donation: everything that is known of it, and what can be done with it.

import { postForm } from "../../ui/form.ts";
import { type Html, html } from "../../ui/html.ts";
import { bilingual, isolated } from "../../ui/layout.ts";
import { whyKeptOff } from "../alerts/replay-question.ts";
import type { Donation } from "../components/donation.ts";
import { shownName, testMark, voidMark } from "../components/entry.ts";
import { fact, time } from "../components/facts.ts";
import { type PageContext, studioPage } from "../components/frame.ts";
import { channelLabels, formatAmount, isUnfinished, maskLabel, sourceLabels, stateLabel } from "../components/labels.ts";
import { donationAddress, historyAddress, paths, replayAddress } from "../paths.ts";
import { alertStory } from "./alert-story.ts";
import type { DonationStep } from "./find-story.ts";

type DonationPage = PageContext &
  Readonly<{
    donation: Donation;
    /** Its alert waits for an approval. */
    isHeld: boolean;
    /** What happened since it was recorded, oldest first. */
    story: readonly DonationStep[];
    /** What the streamer wrote when the donation was voided; null for nothing. */
    note: string | null;
  }>;

export function donationPage(page: DonationPage): string {
  const { site, donation, story } = page;
  const { id, donatorName, amount, currency, message, source, voided } = donation;
  return studioPage({
    ...page,
    here: "/studio/history",
    title: { th: "โดเนท", en: "Donation" },
    content: html`<p data-here="${site.path(donationAddress(id))}"><a href="${site.path(paths.history)}">${bilingual({ th: "ประวัติทั้งหมด", en: "All donations" })}</a></p>
<section class="card" aria-labelledby="which">
<h2 id="which">${shownName(donatorName)} <span class="amount">${formatAmount(amount, currency)}</span></h2>
${message !== "" && html`<p class="said">${isolated(message)}</p>`}
${(voided || source === "test") && html`<p class="marks">${voided && voidMark(voided.reason)}${source === "test" && testMark}</p>`}
${facts(page)}
${!voided && actions(page)}
</section>
${alertStory(donation, story)}`,
  });
}

function facts({ site, donation, isHeld, note }: DonationPage): Html {
  const { identifier, channel, source, createdAt, receivedAt, alert, voided, id } = donation;
  const others = identifier !== null && site.path(historyAddress({ identifier }));
  return html`<dl>
${fact({ th: "โดเนทเมื่อ", en: "Donated" }, time(new Date(createdAt)))}
${createdAt !== receivedAt && fact({ th: "บันทึกเมื่อ", en: "Recorded" }, time(new Date(receivedAt)))}
${fact({ th: "แจ้งเตือน", en: "Alert" }, html`${stateLabel(alert, isHeld)}${alert.masked && html` ${maskLabel}`}${alert.shownAt !== null && html` ${time(new Date(alert.shownAt))}`}`)}
${voided && fact({ th: "เป็นโมฆะเมื่อ", en: "Voided" }, time(new Date(voided.at)))}
${note !== null && fact({ th: "หมายเหตุ", en: "Note" }, isolated(note))}
${fact({ th: "ช่องทาง", en: "Channel" }, bilingual(channelLabels[channel]))}
${fact({ th: "ที่มา", en: "Source" }, bilingual(sourceLabels[source]))}
${others && fact({ th: "ตัวระบุผู้โดเนท", en: "Identifier" }, html`<a href="${others}">${isolated(identifier)}</a>`)}
${fact({ th: "เลขที่", en: "Donation id" }, html`<code>${id}</code>`)}
</dl>`;
}

function actions({ site, account, donation }: DonationPage): Html {
  const { id, alert } = donation;
  const replay = html`<input type="hidden" name="back" value="donation"><button name="donation" value="${id}">${bilingual({ th: "เล่นซ้ำ", en: "Replay" })}</button>`;
  const askFirst = html`<a href="${site.path(replayAddress(id, "donation"))}">${bilingual({ th: "เล่นซ้ำ…", en: "Replay…" })}</a>`;
  const atOnce = postForm({ action: site.path(paths.replay), formToken: account.formToken, content: replay });
  return html`<div class="buttons">
${!isUnfinished(alert) && (whyKeptOff(donation) === null ? atOnce : askFirst)}
<a href="${site.path(`${paths.void}?donation=${id}&back=donation`)}">${bilingual({ th: "ทำให้เป็นโมฆะ…", en: "Void…" })}</a>
</div>`;
}
