// The start of an alert: the first playback that is ready is handed to the player, which acknowledges that it shows it.

import type { Knex } from "knex";
import { holdAlerts, withdrawPlayback } from "./approval.ts";
import { type Acknowledged, type AcknowledgementRequest, acknowledge, finishPlayback } from "./end.ts";
import { verdictNow } from "./filter.ts";
import { fillLookAhead } from "./intake.ts";
import type { Overlay } from "./overlay.ts";
import { endAsking, isCrowded, pauseLeft } from "./pace.ts";
import { type PlaybackRef, readActive, type StoredPlayback, updateOne } from "./playbacks.ts";
import { activePlayback, afterMove, type QueueStep, refOf, waitingOf } from "./step.ts";

/** How long the page waits for a sound of the streamer's own before it speaks. */
const ownSoundMs = 15_000;

/** Fills the look-ahead and hands out the next playback. The player that holds the lease must be connected to this process. */
export async function playNext(step: QueueStep): Promise<void> {
  await fillLookAhead(step);
  await endAsking(step);
  if (await leaseNext(step)) await fillLookAhead(step);
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

function nextReady(step: QueueStep): StoredPlayback | null {
  const [first] = waitingOf(step);
  return activePlayback(step) === null && first?.state === "queued" ? first : null;
}

async function holdAgain(step: QueueStep, playback: StoredPlayback): Promise<void> {
  const { trx, overlay } = step;
  await withdrawPlayback(trx, refOf(step, playback));
  await holdAlerts(trx, overlay, [playback]);
}

/** How long a playback may take from its start: what the page is allowed, and a margin. */
export function allowedMs({ speech, variation }: StoredPlayback, { overlay, deps }: Pick<QueueStep, "overlay" | "deps">): number {
  const { speechSpeed } = overlay.settings;
  const spoken = speech ? (speech.durationMs ?? deps.times.unknownSpeechMs) / speechSpeed : 0;
  const seconds = Math.max(overlay.settings.maximumSeconds, variation?.seconds ?? 0);
  const ownSound = variation?.sound ? ownSoundMs : 0;
  return Math.ceil(seconds * 1000 + spoken + ownSound + deps.times.overrunMs);
}

type PlaybackLease = { playerId: string; now: number; allowedMs: number; faster: boolean };

/** Hands a playback to a player, which has to acknowledge its start. */
export function leasePlayback(trx: Knex, playback: PlaybackRef, { playerId, now, allowedMs, faster }: PlaybackLease): Promise<boolean> {
  const set = "state = 'leased', player_id = ?, leased_at = from_millis(?), allowed_ms = ?, faster = ?, started_at = null";
  return updateOne(trx, playback, [set, playerId, now, allowedMs, faster]);
}

/** The playback is on screen. `conflict`: it does not belong to this player, or no longer. */
export function acknowledgeStart(knex: Knex, request: AcknowledgementRequest): Promise<Acknowledged> {
  return acknowledge(knex, request, async (trx, overlay, playback) => {
    if (playback.state === "shown") return "shown";
    if (playback.state === "playing" && playback.startedAt !== null) return "playing";
    if (!(await canStart(trx, overlay, playback))) return "conflict";
    await setStarted(trx, { streamerId: request.streamerId, id: playback.id }, overlay.now);
    return "playing";
  });
}

/** Handed to this player; or queued again while the player was disconnected, and no playback was handed out since. */
async function canStart(trx: Knex, { streamerId, lease }: Overlay, { state, playerId }: StoredPlayback): Promise<boolean> {
  if (state === "leased" || state === "playing") return true;
  return state === "queued" && lease.playerId === playerId && (await readActive(trx, streamerId)) === null;
}

function setStarted(trx: Knex, playback: PlaybackRef, now: number): Promise<boolean> {
  return updateOne(trx, playback, ["state = 'playing', started_at = from_millis(?)", now]);
}
