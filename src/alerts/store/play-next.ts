// Takes alerts in ahead of time, and hands the first playback that is ready to the player.

import { type Verdict, verdictOf } from "../queue/filter.ts";
import { firstState, holdAlerts } from "./approval/held-alerts.ts";
import { takeAlerts } from "./intake.ts";
import { isCrowded, pauseLeft } from "./pace.ts";
import { finishPlayback, leasePlayback, type StoredPlayback, withdrawPlayback } from "./playbacks.ts";
import { endAsking } from "./players/backlog.ts";
import { activePlayback, afterMove, type QueueStep, refOf, waitingOf } from "./queue-step.ts";

/** Playbacks that wait in the queue, so that their speech is made in time. */
const lookAhead = 3;
/** How long the page waits for a sound of the streamer's own before it speaks. */
const ownSoundMs = 15_000;
/** Statements that read alerts in one step: a filter may skip nearly all of them. */
const maxReads = 5;

/** Fills the look-ahead and hands out the next playback. The player that holds the lease must be connected to this process. */
export async function playNext(step: QueueStep): Promise<void> {
  await fillLookAhead(step);
  await endAsking(step);
  if (await leaseNext(step)) await fillLookAhead(step);
}

/** How long a playback may take from its start: what the page is allowed, and a margin. */
export function allowedMs({ speech, variation }: StoredPlayback, { overlay, deps }: Pick<QueueStep, "overlay" | "deps">): number {
  const { speechSpeed } = overlay.settings;
  const spoken = speech ? (speech.durationMs ?? deps.times.unknownSpeechMs) / speechSpeed : 0;
  const seconds = Math.max(overlay.settings.maximumSeconds, variation?.seconds ?? 0);
  const ownSound = variation?.sound ? ownSoundMs : 0;
  return Math.ceil(seconds * 1000 + spoken + ownSound + deps.times.overrunMs);
}

async function fillLookAhead(step: QueueStep): Promise<void> {
  const { trx, overlay, deps } = step;
  const state = firstState(overlay.settings, deps.hasSpeech);
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
  if (overlay.hidden || pauseLeft(overlay) > 0) return false;
  for (let next = nextReady(step); next; next = nextReady(step)) {
    const verdict = verdictNow(next, step);
    if (verdict === "hold") await afterMove(step, holdAgain(step, next));
    else if (verdict !== "play") await afterMove(step, finishPlayback(trx, refOf(step, next), { state: "skipped", reason: verdict, now }));
    else {
      const playerId = step.lease.playerId as string;
      const faster = await isCrowded(trx, overlay, step.takenSequence);
      await afterMove(step, leasePlayback(trx, refOf(step, next), { playerId, now, allowedMs: allowedMs(next, step), faster }));
      return true;
    }
  }
  return false;
}

/**
 * The settings may have changed since the intake. Filters do not apply to replays, which the streamer has asked for, nor to what was approved;
 * and what a player has had is not held, because it may have been seen.
 */
function verdictNow(next: StoredPlayback, { overlay }: QueueStep): Verdict {
  if (next.replay || next.approved) return "play";
  const verdict = verdictOf(next, overlay.settings);
  return verdict === "hold" && next.playerId !== null ? "play" : verdict;
}

async function holdAgain(step: QueueStep, playback: StoredPlayback): Promise<void> {
  const { trx, overlay } = step;
  await withdrawPlayback(trx, refOf(step, playback));
  await holdAlerts(trx, overlay, [playback]);
}

function nextReady(step: QueueStep): StoredPlayback | null {
  const [first] = waitingOf(step);
  return activePlayback(step) === null && first?.state === "queued" ? first : null;
}
