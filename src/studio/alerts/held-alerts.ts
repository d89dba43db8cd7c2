// Alerts that wait for an approval, with the buttons that decide.

import type { OperationId, Schemas } from "../../http/operations.ts";
import { type Html, html } from "../../ui/html.ts";
import { type IconName, icon } from "../../ui/icons.ts";
import { type Bilingual, bilingual } from "../../ui/layout.ts";
import { exactTime } from "../../ui/times.ts";
import { aboutDonator, type Donation, renderEntry, testMark } from "../components/donation.ts";
import type { StudioDeps } from "../studio-deps.ts";

export type Queue = Schemas["AlertQueue"];
export type QueuedPlayback = Schemas["QueuedPlayback"];

/** About one alert, by the operation that carries it out: the first three about a held one, the others about one that waits. */
export const decisions = {
  ...({ approve: "approveAlert", mask: "maskAlert", deny: "denyAlert" } as const),
  ...({ skip: "skipOneAlert", next: "playAlertNext" } as const),
} satisfies Record<string, OperationId>;
export type Decision = keyof typeof decisions;

/** The ids of those of these donations whose alerts are held: only what waits can be. */
export async function heldAmong({ donations }: StudioDeps, streamerId: string, among: readonly Donation[]): Promise<ReadonlySet<string>> {
  const waiting = among.filter(({ alert }) => alert.status === "queued").map(({ id }) => id);
  return waiting.length === 0 ? new Set() : donations.held(streamerId, waiting);
}

/** What the button of a decision looks like. */
export const decisionLooks = {
  approve: { icon: "check", rank: " good", th: "อนุมัติ", en: "Approve" },
  mask: { icon: "eye-off", rank: "", th: "แสดงแต่ยอด", en: "Amount only" },
  deny: { icon: "x", rank: " danger", th: "ไม่แสดง", en: "Deny" },
  next: { icon: "arrow-up-to-line", rank: "", th: "แสดงถัดไป", en: "Play next" },
  skip: { icon: "skip-forward", rank: "", th: "ข้าม", en: "Skip" },
} as const satisfies Record<Decision, { icon: IconName; rank: string; th: string; en: string }>;

/** A button that decides about an alert, of the form with the id `decide`. */
export function decisionButton(decision: Decision, { donationId, donatorName }: Decided): Html {
  const { icon: name, rank, th, en } = decisionLooks[decision];
  const about = aboutDonator({ th: `${th}:`, en: `${en}:` }, donatorName);
  return html`<button class="small${rank}" id="${decision}-${donationId}" form="decide" name="decision" value="${decision} ${donationId}" aria-label="${about}" title="${bilingual({ th, en })}">${icon(name)}<span>${bilingual({ th, en })}</span></button>`;
}

type Decided = Queue["waiting"][number] | Queue["held"][number];

/** What the time-out does with an alert that nobody decides about. */
export type Timeout = Schemas["AlertSettings"]["onTimeout"];

/** In words, and as the colour of a label. */
const timeouts: Record<Timeout, Bilingual & { kind: string }> = {
  drop: { kind: "failed", th: "ไม่แสดง", en: "Not shown" },
  show: { kind: "shown", th: "แสดง", en: "Shown" },
  mask: { kind: "queued", th: "แสดงแต่ยอด", en: "Shown with its amount only" },
};

/** Null while nothing is held. */
export function heldList({ held, heldCount }: Queue, onTimeout: Timeout): Html | null {
  if (held.length === 0) return null;
  return html`<div class="asks">
<h2>${icon("shield")} ${bilingual({ th: `รออนุมัติ ${heldCount}`, en: `${heldCount} waiting for approval` })}</h2>
<ol class="entries">${held.map((alert) => heldEntry(alert, onTimeout))}</ol>
${moreLine(heldCount - held.length)}
</div>`;
}

/** How many alerts a list leaves out. */
export function moreLine(count: number): Html | false {
  return count > 0 && html`<p class="note">${bilingual({ th: `และอีก ${count} รายการ`, en: `and ${count} more` })}</p>`;
}

/** The script counts down to the time-out. */
function heldEntry(alert: Queue["held"][number], onTimeout: Timeout): Html {
  const { donatorName, amount, currency, message, source, decidesAt } = alert;
  const { kind, ...words } = timeouts[onTimeout];
  const at = html`<span data-until="${decidesAt}" data-in="${bilingual({ th: "ในอีก", en: "in" })}">${bilingual({ th: "เมื่อ", en: "at" })} ${exactTime(decidesAt)}</span>`;
  const until = html`<span class="label ${kind}">${icon("clock")}${bilingual(words)} ${at}</span>`;
  return html`<li>${renderEntry({ donatorName, amount, currency, message, marks: [source === "test" && testMark, until] })}
<span class="buttons">${(["approve", "mask", "deny"] as const).map((decision) => decisionButton(decision, alert))}</span></li>`;
}
