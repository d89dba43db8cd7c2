// The page of one donation: everything that is known of it, what can be done with it, and the story of its alert.

import { erasedName } from "../../base/text.ts";
import type { Schemas } from "../../http/operations.ts";
import { Problem } from "../../http/problem.ts";
import { type Html, html } from "../../ui/html.ts";
import { icon } from "../../ui/icons.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import type { PageHandler, PageReply } from "../../ui/serve-pages.ts";
import { formatExactDateTime } from "../../ui/times.ts";
import { heldAmong } from "../alerts/held-alerts.ts";
import { whyKeptOff } from "../alerts/replay.ts";
import {
  channelLabels,
  type Donation,
  formatAmount,
  isUnfinished,
  maskLabel,
  shownName,
  skipReasonLabels,
  sourceLabels,
  stateLabel,
  testMark,
  voidMark,
} from "../components/donation.ts";
import { backLink, fact, type PageContext, pageForm, studioPage, time } from "../components/frame.ts";
import { backTo, noticeOf } from "../notices.ts";
import { donationAddress, donatorAddress, paths, replayAddress, voidAddress } from "../paths.ts";
import { findDonation } from "../streamer-client.ts";
import type { StudioDeps } from "../studio-deps.ts";
import type { DecidedBy, DonationStep } from "./find-story.ts";

/** GET /studio/donation */
export const showDonation = (deps: StudioDeps): PageHandler =>
  deps.accounts.page(paths.history, async ({ account, query }) => {
    const { accounts, client, donations } = deps;
    const id = query.get("id") ?? "";
    try {
      const donation = await findDonation(client, account.streamer.id, id);
      const { id: streamerId } = account.streamer;
      const [story, held, notes] = await Promise.all([
        donations.story(streamerId, id),
        heldAmong(deps, streamerId, [donation]),
        donation.voided ? donations.voidNotes(streamerId, [id]) : null,
      ]);
      const context = { site: accounts.site, account, notice: noticeOf(query) };
      return donationPage({ ...context, donation, isHeld: held.has(id), story, note: notes?.get(id) ?? null });
    } catch (error) {
      if (error instanceof Problem && error.code === "donation_not_found") return backTo(accounts.site, paths.alerts, "no-donation");
      throw error;
    }
  });

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

function donationPage(page: DonationPage): PageReply {
  const { site, donation, story } = page;
  const { id, donatorName, amount, currency, message, source, voided } = donation;
  return studioPage({
    ...page,
    here: "/studio/history",
    title: { th: "โดเนท", en: "Donation" },
    ...(!voided && { action: actions(page) }),
    content: html`${backLink(site, { here: donationAddress(id), to: paths.history, words: { th: "ประวัติทั้งหมด", en: "All donations" } })}
<div class="columns">
<section class="card" aria-labelledby="which">
<h2 id="which">${shownName(donatorName)} <span class="amount">${formatAmount(amount, currency)}</span></h2>
${message !== "" && html`<p class="said">${isolated(message)}</p>`}
${(voided || source === "test") && html`<p class="marks">${voided && voidMark(voided.reason)}${source === "test" && testMark}</p>`}
${facts(page)}
</section>
${alertStory(donation, story)}
</div>`,
  });
}

function facts({ site, donation, isHeld, note }: DonationPage): Html {
  const { donatorName, identifier, channel, source, createdAt, receivedAt, alert, voided, id } = donation;
  const others = site.path(donatorAddress({ name: donatorName, identifier }));
  return html`<dl class="facts">
${fact({ th: "โดเนทเมื่อ", en: "Donated" }, time(new Date(createdAt)))}
${createdAt !== receivedAt && fact({ th: "บันทึกเมื่อ", en: "Recorded" }, time(new Date(receivedAt)))}
${fact({ th: "แจ้งเตือน", en: "Alert" }, html`${stateLabel(alert, isHeld)}${alert.masked && html` ${maskLabel}`}${alert.shownAt !== null && html` ${time(new Date(alert.shownAt))}`}`)}
${voided && fact({ th: "เป็นโมฆะเมื่อ", en: "Voided" }, time(new Date(voided.at)))}
${note !== null && fact({ th: "หมายเหตุ", en: "Note" }, isolated(note))}
${fact({ th: "ช่องทาง", en: "Channel" }, bilingual(channelLabels[channel]))}
${fact({ th: "ที่มา", en: "Source" }, bilingual(sourceLabels[source]))}
${donatorName !== erasedName && fact({ th: "ผู้โดเนท", en: "Donator" }, html`<a href="${others}">${bilingual({ th: "โดเนททั้งหมดและบันทึก", en: "All donations, and your note" })}</a>`)}
${identifier !== null && fact({ th: "ตัวระบุผู้โดเนท", en: "Identifier" }, isolated(identifier))}
${fact({ th: "เลขที่", en: "Donation id" }, html`<code>${id}</code>`)}
</dl>`;
}

function actions({ site, account, donation }: DonationPage): Html {
  const { id, alert } = donation;
  const replay = html`<input type="hidden" name="back" value="donation"><button name="donation" value="${id}">${icon("play")}${bilingual({ th: "เล่นซ้ำ", en: "Replay" })}</button>`;
  const askFirst = html`<a class="button" href="${site.path(replayAddress(id, "donation"))}">${icon("play")}${bilingual({ th: "เล่นซ้ำ…", en: "Replay…" })}</a>`;
  const atOnce = pageForm({ site, account }, paths.replay, { content: replay });
  return html`<div class="buttons">
${!isUnfinished(alert) && (whyKeptOff(donation) === null ? atOnce : askFirst)}
<a class="button danger" href="${site.path(voidAddress(id, "donation"))}">${icon("ban")}${bilingual({ th: "ทำให้เป็นโมฆะ…", en: "Void…" })}</a>
</div>`;
}

type StepType = DonationStep["type"];

const words: Record<StepType, Bilingual> = {
  "donation.created": { th: "บันทึกโดเนท", en: "Recorded" },
  "donation.voided": { th: "ทำให้เป็นโมฆะ", en: "Voided" },
  "donation.erased": { th: "ลบชื่อ ข้อความ และตัวระบุ", en: "Name, message and identifier erased" },
  "alert.started": { th: "เริ่มแสดง", en: "Started" },
  "alert.shown": { th: "แสดงจนจบ", en: "Shown to the end" },
  "alert.skipped": { th: "ไม่แสดง", en: "Not shown" },
  "alert.held": { th: "รออนุมัติ", en: "Held for approval" },
  "alert.approved": { th: "อนุมัติ", en: "Approved" },
  "alert.denied": { th: "ไม่อนุมัติ", en: "Denied" },
  "alert.expired": { th: "หมดเวลารอ เพราะไม่มีหน้าแจ้งเตือนเชื่อมต่อ", en: "Expired: no overlay was connected for too long" },
  "alert.unconfirmed": { th: "อาจแสดงไม่ครบ เพราะหน้าแจ้งเตือนหลุดไป", en: "Possibly cut off: the overlay went away" },
  "timer.started": { th: "เริ่มตัวจับเวลา", en: "Timer started" },
  "timer.changed": { th: "ตัวจับเวลาเปลี่ยน", en: "Timer changed" },
  "timer.ended": { th: "ตัวจับเวลาจบ", en: "Timer ended" },
  "goal.reached": { th: "ถึงเป้าหมาย", en: "Goal reached" },
};

const replayed: Partial<Record<StepType, Bilingual>> = {
  "alert.started": { th: "เริ่มเล่นซ้ำ", en: "Replay started" },
  "alert.shown": { th: "เล่นซ้ำจนจบ", en: "Replay shown to the end" },
  "alert.skipped": { th: "ไม่เล่นซ้ำ", en: "Replay not shown" },
  "alert.expired": { th: "หมดเวลารอเล่นซ้ำ", en: "Replay expired: no overlay was connected for too long" },
  "alert.unconfirmed": { th: "เล่นซ้ำอาจไม่ครบ เพราะหน้าแจ้งเตือนหลุดไป", en: "Replay possibly cut off: the overlay went away" },
};

/** How a step stands in the line of time: what went well, and what kept the alert or the donation away. */
const ends: Partial<Record<StepType, "good" | "bad">> = {
  ...{ "alert.shown": "good", "alert.approved": "good" },
  ...{ "alert.skipped": "bad", "alert.denied": "bad", "alert.expired": "bad", "alert.unconfirmed": "bad" },
  ...{ "donation.voided": "bad", "donation.erased": "bad" },
};

/** `steps`: what the log has of the donation, oldest first. */
function alertStory(donation: Donation, steps: readonly DonationStep[]): Html {
  const recorded = {
    type: "donation.created",
    at: Date.parse(donation.receivedAt),
    reason: null,
    isReplay: false,
    decidedBy: null,
  } as const;
  return html`<section class="card" aria-labelledby="story">
<h2 id="story">${bilingual({ th: "เรื่องราวของแจ้งเตือน", en: "The alert's story" })}</h2>
<ol class="story">${[recorded, ...steps].map((step) => storyLine(step, donation.alert))}</ol>
<p class="note">${bilingual({ th: "เก็บไว้ 90 วัน", en: "Kept for 90 days." })}</p>
</section>`;
}

function storyLine(step: DonationStep, { masked }: Schemas["AlertState"]): Html {
  const date = new Date(step.at);
  return html`<li${ends[step.type] && html` class="${ends[step.type]}"`}><time datetime="${date.toISOString()}">${bilingual(formatExactDateTime(date))}</time>
<span>${said(step)}${step.type === "alert.approved" && masked && amountOnly}</span></li>`;
}

function said({ type, reason, isReplay, decidedBy }: DonationStep): Html {
  const usual = bilingual((isReplay && replayed[type]) || words[type]);
  if (decidedBy?.is === "nobody")
    return html`${type === "alert.approved" ? bilingual(letThrough) : usual}: ${bilingual(nobodyWithin(decidedBy.seconds))}`;
  if (decidedBy) return html`${usual} ${bilingual(byWhom(decidedBy))}${decidedBy.is !== "streamer" && html` ${isolated(decidedBy.name)}`}`;
  return html`${usual}${type === "alert.skipped" && reason && html`: ${bilingual(skipReasonLabels[reason])}`}`;
}

const letThrough: Bilingual = { th: "ปล่อยให้แสดง", en: "Let through" };

function nobodyWithin(seconds: number): Bilingual {
  return { th: `ไม่มีใครตัดสินภายใน ${seconds} วินาที`, en: `nobody decided within ${seconds} s` };
}

function byWhom({ is }: Exclude<DecidedBy, { is: "nobody" }>): Bilingual {
  if (is === "streamer") return { th: "โดยคุณ ในสตูดิโอ", en: "by you, in the studio" };
  return is === "key" ? { th: "ด้วยคีย์", en: "with the key" } : { th: "โดยแอป", en: "by the application" };
}

/** Only an approval masks an alert for good. */
const amountOnly = html`, ${bilingual({ th: "แสดงแต่ยอด", en: "with its amount only" })}`;
