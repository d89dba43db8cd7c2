// What plays next: alerts are taken in ahead, and the first that is ready is handed to the player.

import { refusalOf } from "../alert-filter.ts";
import { takeIn } from "./intake.ts";
import { finish, lease, type StoredPlayback } from "./playbacks.ts";
import { afterMove, inHand, type Step, waitingOf } from "./queue-step.ts";

/** Alerts that are made ready ahead. */
const lookAhead = 3;
/** Statements that look for alerts in one step: most may be refused. */
const mostLooks = 5;

/** Fills the look-ahead and hands out the next one. The player that holds the lease is here. */
export async function playNext(step: Step): Promise<void> {
  await fill(step);
  if (await handNext(step)) await fill(step);
}

/** How long a playback may take from its start on: what the page may use, and something more. */
export function allowedMs({ speech }: StoredPlayback, { overlay, parts }: Pick<Step, "overlay" | "parts">): number {
  const spoken = speech ? (speech.durationMs ?? parts.times.unknownSpeech) : 0;
  return overlay.settings.maximumSeconds * 1000 + spoken + parts.times.overrun;
}

async function fill(step: Step): Promise<void> {
  const { trx, overlay, parts } = step;
  const state = parts.speaks && overlay.settings.speech ? "preparing" : "queued";
  step.more = false;
  for (let looks = 0; waitingOf(step).length < lookAhead; looks += 1) {
    step.more = looks === mostLooks;
    if (step.more) return;
    const wanted = lookAhead - waitingOf(step).length;
    const { takenSequence, taken, more } = await takeIn(trx, overlay, step.takenSequence, { wanted, state, absence: parts.times.absence });
    step.takenSequence = takenSequence;
    if (taken > 0) await afterMove(step, Promise.resolve());
    if (!more) return;
  }
}

/** Keeps the order: one that still waits for its speech holds up those behind it. */
async function handNext(step: Step): Promise<boolean> {
  const { trx, now, overlay } = step;
  if (overlay.paused) return false;
  for (let next = ready(step); next; next = ready(step)) {
    // The settings may have changed since it was taken in; who asks for a replay wants to see it.
    const reason = next.replay ? null : refusalOf(next, overlay.settings);
    if (reason) await afterMove(step, finish(trx, next.id, { state: "skipped", reason, now }));
    else {
      const playerId = step.lease.playerId as string;
      await afterMove(step, lease(trx, next.id, { playerId, now, allowedMs: allowedMs(next, step) }));
      return true;
    }
  }
  return false;
}

function ready(step: Step): StoredPlayback | null {
  const [first] = waitingOf(step);
  return inHand(step) === null && first?.state === "queued" ? first : null;
}
