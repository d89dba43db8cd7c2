// The start of an alert: the first playback that is ready is leased to the player, which acknowledges that it shows it.

import type { Knex } from "knex";
import type { Settings } from "../settings/settings.ts";
import type { Times } from "../timeouts.ts";
import { holdAlerts, withdrawPlayback } from "./approval.ts";
import { type Acknowledged, type AcknowledgementRequest, acknowledge, finishPlayback } from "./end.ts";
import { verdictNow } from "./filter.ts";
import { fillLookAhead } from "./intake.ts";
import type { Overlay } from "./overlay.ts";
import { endAsking, isCrowded, nextToStart } from "./pace.ts";
import { findPlayback, type PlaybackRef, type Reason, readActive, type StoredPlayback, updateOne } from "./playbacks.ts";
import { afterMove, type Player, type QueueStep, refOf } from "./step.ts";

/** How long the page waits for a sound of the streamer's own before it speaks. */
const ownSoundMs = 15_000;

/** Fills the look-ahead and hands out the next playback. The player that holds the lease must be connected to this process. */
export async function playNext(step: QueueStep): Promise<void> {
  await fillLookAhead(step);
  await endAsking(step);
  if (await leaseNext(step)) await fillLookAhead(step);
}

/** Resolves to whether one was handed out. What the filters skip or hold meanwhile makes room for the next one. */
async function leaseNext(step: QueueStep): Promise<boolean> {
  for (let next = nextToStart(step); next; next = nextToStart(step)) {
    const verdict = verdictNow(next, step);
    if (verdict === "hold") await afterMove(step, holdAgain(step, next));
    else if (verdict !== "play") await afterMove(step, skip(step, next, verdict));
    else {
      const faster = await isCrowded(step.trx, step.overlay, step.takenSequence);
      await handOut(step, next, { playerId: step.lease.playerId as string, faster });
      return true;
    }
  }
  return false;
}

/**
 * The player has connected again, and says that it is showing an alert which was queued again meanwhile: the alert goes on. A pause ends no alert
 * that is on screen, and this one may be. While everything is hidden, a page starts nothing.
 */
export async function goOn(step: QueueStep, { playerId, playing }: Player): Promise<void> {
  const claimed = playing === null || step.overlay.hidden ? null : await findPlayback(step.trx, step.overlay.streamerId, playing);
  if (claimed?.state === "queued" && claimed.playerId === playerId) await handOut(step, claimed, { playerId, faster: claimed.faster });
}

type Handout = { playerId: string; faster: boolean };

/** Hands a playback to a player, which has to acknowledge its start. */
async function handOut(step: QueueStep, playback: StoredPlayback, { playerId, faster }: Handout): Promise<void> {
  const set = "state = 'leased', player_id = ?, leased_at = from_millis(?), allowed_ms = ?, faster = ?, started_at = null";
  await afterMove(
    step,
    updateOne(step.trx, refOf(step, playback), [
      set,
      playerId,
      step.now,
      allowedMs(playback, step.overlay.settings, step.deps.times),
      faster,
    ]),
  );
}

function skip(step: QueueStep, playback: StoredPlayback, reason: Reason): Promise<boolean> {
  return finishPlayback(step.trx, refOf(step, playback), { state: "skipped", reason, now: step.now });
}

async function holdAgain(step: QueueStep, playback: StoredPlayback): Promise<void> {
  const { trx, overlay } = step;
  await withdrawPlayback(trx, refOf(step, playback));
  await holdAlerts(trx, overlay, [playback]);
}

/** How long a playback may take from its start: what the page is allowed, and a margin. */
export function allowedMs({ speech, variation }: StoredPlayback, { speechSpeed, maximumSeconds }: Settings, times: Times): number {
  const spoken = speech ? (speech.durationMs ?? times.unknownSpeechMs) / speechSpeed : 0;
  const seconds = Math.max(maximumSeconds, variation?.seconds ?? 0);
  const ownSound = variation?.sound ? ownSoundMs : 0;
  return Math.ceil(seconds * 1000 + spoken + ownSound + times.overrunMs);
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
