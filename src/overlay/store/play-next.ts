// Takes alerts in ahead of time, and hands the first playback that is ready to the player.

import { skipReasonOf } from "../alert-filter.ts";
import { takeAlerts } from "./intake.ts";
import { finishPlayback, leasePlayback, type StoredPlayback } from "./playbacks.ts";
import { activePlayback, afterMove, type QueueStep, waitingOf } from "./queue-step.ts";

/** Playbacks that wait in the queue, so that their speech is made in time. */
const lookAhead = 3;
/** Statements that read alerts in one step: a filter may skip nearly all of them. */
const maxReads = 5;

/** Fills the look-ahead and hands out the next playback. The player that holds the lease must be connected to this process. */
export async function playNext(step: QueueStep): Promise<void> {
  await fillLookAhead(step);
  if (await leaseNext(step)) await fillLookAhead(step);
}

/** How long a playback may take from its start: what the page is allowed, and a margin. */
export function allowedMs({ speech }: StoredPlayback, { overlay, deps }: Pick<QueueStep, "overlay" | "deps">): number {
  const spoken = speech ? (speech.durationMs ?? deps.times.unknownSpeechMs) : 0;
  return overlay.settings.maximumSeconds * 1000 + spoken + deps.times.overrunMs;
}

async function fillLookAhead(step: QueueStep): Promise<void> {
  const { trx, overlay, deps } = step;
  const state = deps.hasSpeech && overlay.settings.speech ? "preparing" : "queued";
  step.more = false;
  for (let reads = 0; waitingOf(step).length < lookAhead; reads += 1) {
    step.more = reads === maxReads;
    if (step.more) return;
    const maxTaken = lookAhead - waitingOf(step).length;
    const {
      takenSequence,
      taken,
      hasMore: more,
    } = await takeAlerts(trx, overlay, step.takenSequence, { maxTaken, state, absence: deps.times.absenceLimitMs });
    step.takenSequence = takenSequence;
    if (taken > 0) await afterMove(step, Promise.resolve());
    if (!more) return;
  }
}

/** Keeps the order: a playback that still waits for its speech blocks those after it. */
async function leaseNext(step: QueueStep): Promise<boolean> {
  const { trx, now, overlay } = step;
  if (overlay.paused) return false;
  for (let next = nextReady(step); next; next = nextReady(step)) {
    // The settings may have changed since the intake. Filters do not apply to replays, which the streamer has asked for.
    const reason = next.replay ? null : skipReasonOf(next, overlay.settings);
    if (reason) await afterMove(step, finishPlayback(trx, next.id, { state: "skipped", reason, now }));
    else {
      const playerId = step.lease.playerId as string;
      await afterMove(step, leasePlayback(trx, next.id, { playerId, now, allowedMs: allowedMs(next, step) }));
      return true;
    }
  }
  return false;
}

function nextReady(step: QueueStep): StoredPlayback | null {
  const [first] = waitingOf(step);
  return activePlayback(step) === null && first?.state === "queued" ? first : null;
}
