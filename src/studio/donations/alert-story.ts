// What happened to a donation's alert, as a list from the oldest step to the latest.

import type { Schemas } from "../../http/operations.ts";
import { type Html, html } from "../../ui/html.ts";
import { type Bilingual, bilingual, isolated } from "../../ui/layout.ts";
import { formatExactDateTime } from "../../ui/times.ts";
import type { Donation } from "../components/donation.ts";
import { skipReasonLabels } from "../components/labels.ts";
import type { DecidedBy, DonationStep } from "./find-story.ts";

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
  "goal.reached": { th: "ถึงเป้าหมาย", en: "Goal reached" },
};

const replayed: Partial<Record<StepType, Bilingual>> = {
  "alert.started": { th: "เริ่มเล่นซ้ำ", en: "Replay started" },
  "alert.shown": { th: "เล่นซ้ำจนจบ", en: "Replay shown to the end" },
  "alert.skipped": { th: "ไม่เล่นซ้ำ", en: "Replay not shown" },
  "alert.expired": { th: "หมดเวลารอเล่นซ้ำ", en: "Replay expired: no overlay was connected for too long" },
  "alert.unconfirmed": { th: "เล่นซ้ำอาจไม่ครบ เพราะหน้าแจ้งเตือนหลุดไป", en: "Replay possibly cut off: the overlay went away" },
};

/** `steps`: what the log has of the donation, oldest first. */
export function alertStory(donation: Pick<Donation, "receivedAt" | "alert">, steps: readonly DonationStep[]): Html {
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
  return html`<li><time datetime="${date.toISOString()}">${bilingual(formatExactDateTime(date))}</time>
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
