// The end of an alert: its player acknowledges that it was shown, or does not in time, or its donation is voided. All times are the
// database's, in milliseconds since 1970.

import type { Knex } from "knex";
import { activeTracing, currentSpan, traceOf } from "../../telemetry/tracing.ts";
import type { Times } from "../timeouts.ts";
import { dropHeld } from "./approval.ts";
import { changeOverlay, isLive, type Lease, lockOverlay, type Overlay, releasedLease, withOverlay } from "./overlay.ts";
import {
  type ActivePlayback,
  activePartOf,
  endUnheld,
  findPlayback,
  type PlaybackRef,
  type Reason,
  type State,
  type StoredPlayback,
  updateOne,
} from "./playbacks.ts";
import { activePlayback, afterMove, type QueueStep, refOf } from "./step.ts";

export type AcknowledgementRequest = Readonly<{ streamerId: string; playbackId: string; playerId: string }>;

export type Acknowledged = { status: State; changed: boolean } | "unknown" | "conflict";

/** `isUnresponsive`: the player does not acknowledge, so the server closes its connection; a page that still runs connects again. */
type TimeoutOutcome =
  | { to: "queued"; attempts: number; losses: number; isUnresponsive: boolean }
  | { to: "unconfirmed"; isUnresponsive: boolean };

/** How often a playback is handed to connected players that do not start it. */
const maxAttempts = 3;

/** How often a playback's player may disconnect: a playback that crashes its page must not block the queue for ever. */
const maxLosses = 10;

/**
 * The playback was shown to its end. Accepted without an acknowledged start as well, and while its player is disconnected, so that it
 * is not shown again.
 */
export async function acknowledgeEnd(knex: Knex, request: AcknowledgementRequest): Promise<Acknowledged> {
  const { streamerId } = request;
  let shown: ShownAlert | null = null;
  const acknowledged = await acknowledge(knex, request, async (trx, { now }, playback) => {
    const { id, state, donationId, startedAt } = playback;
    if (state === "shown") return "shown";
    if (state !== "queued" && state !== "leased" && state !== "playing") return "conflict";
    await finishPlayback(trx, { streamerId, id }, { state: "shown", reason: null, now });
    shown = { donationId, startedAt: startedAt ?? now, endedAt: now };
    return "shown";
  });
  if (shown) traceShown(shown);
  return acknowledged;
}

type Transition = (trx: Knex, overlay: Overlay, playback: StoredPlayback) => Promise<State | "conflict">;

/** Applies what a player says of a playback that was handed to it, under the lock of the overlay. `transition`: resolves to the new state. */
export function acknowledge(knex: Knex, request: AcknowledgementRequest, transition: Transition): Promise<Acknowledged> {
  const { streamerId, playbackId, playerId } = request;
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    const playback = await findPlayback(trx, streamerId, playbackId);
    if (!playback) return "unknown";
    if (playback.playerId !== playerId) return "conflict";
    const status = await transition(trx, overlay, playback);
    if (status === "conflict") return status;
    const changed = status !== playback.state || (status === "playing" && playback.startedAt === null);
    if (changed) await changeOverlay(trx, overlay, {});
    return { status, changed };
  });
}

type PlaybackEnd = { state: "shown" | "skipped" | "expired" | "unconfirmed"; reason: Reason | null; now: number };

/** Ends a playback for good. */
export function finishPlayback(trx: Knex, playback: PlaybackRef, { state, reason, now }: PlaybackEnd): Promise<boolean> {
  return updateOne(trx, playback, ["state = ?, reason = ?, ended_at = from_millis(?)", state, reason, now]);
}

/** Ends or requeues the active playback if it is past its deadline. */
export async function applyTimeout(step: QueueStep): Promise<void> {
  const { trx, now, lease } = step;
  const current = activePlayback(step.rows);
  const active = current && activePartOf(current);
  const outcome = active && timeoutOf(active, lease, now, step.deps.times);
  if (!current || !outcome) return;
  if (outcome.to === "queued") await afterMove(step, requeuePlayback(trx, refOf(step, current), outcome));
  else await giveUpActive(step, current);
  if (!("isUnresponsive" in outcome) || !outcome.isUnresponsive) return;
  step.unresponsive = lease.connectionId;
  step.lease = releasedLease(lease, now);
}

/** Ends the active playback, whose end nobody has confirmed. */
export async function giveUpActive(step: QueueStep, playback: StoredPlayback): Promise<void> {
  await afterMove(step, finishPlayback(step.trx, refOf(step, playback), { state: "unconfirmed", reason: null, now: step.now }));
  step.overlay = { ...step.overlay, clearedAt: step.now };
}

/** What follows from the playback's deadline; null before the deadline. */
export function timeoutOf(playback: ActivePlayback, lease: Lease, now: number, times: Times): TimeoutOutcome | null {
  if (now < deadlineOf(playback, lease, now, times)) return null;
  if (playback.state === "playing") return { to: "unconfirmed", isUnresponsive: isLive(lease, now) && playback.startedAt === null };
  if (!isLive(lease, now)) return timeoutAfterLoss(playback);
  const attempts = playback.attempts + 1;
  return attempts >= maxAttempts
    ? { to: "unconfirmed", isUnresponsive: true }
    : { to: "queued", attempts, losses: playback.losses, isUnresponsive: true };
}

/** When the playback times out unless its player acknowledges or comes back. */
export function deadlineOf(playback: ActivePlayback, lease: Lease, now: number, times: Times): number {
  if (!isLive(lease, now)) return playback.state === "leased" ? now : (lease.until ?? 0) + times.returnLimitMs;
  return playback.startedAt === null ? playback.leasedAt + times.startLimitMs : playback.startedAt + playback.allowedMs;
}

/** Counts a loss of its player, after which it is played from the beginning; null after too many losses. */
export function afterLoss(playback: ActivePlayback): { losses: number } | null {
  const losses = playback.losses + 1;
  return losses >= maxLosses ? null : { losses };
}

function timeoutAfterLoss(playback: ActivePlayback): TimeoutOutcome {
  const again = afterLoss(playback);
  return again
    ? { to: "queued", attempts: playback.attempts, losses: again.losses, isUnresponsive: false }
    : { to: "unconfirmed", isUnresponsive: false };
}

/** Puts a playback back to its place in the queue. */
function requeuePlayback(trx: Knex, playback: PlaybackRef, { attempts, losses }: { attempts: number; losses: number }): Promise<boolean> {
  return updateOne(trx, playback, ["state = 'queued', attempts = ?, losses = ?", attempts, losses]);
}

/** In the caller's transaction, which holds the lock of the streamer's overlay afterwards: no alert is taken in or handed out meanwhile. */
export async function endAlerts(transaction: Knex.Transaction, streamerId: string, donationIds: readonly string[]): Promise<void> {
  const overlay = await lockOverlay(transaction, streamerId);
  await endUnheld(transaction, overlay, { donationIds, reason: "voided" });
  await dropHeld(transaction, overlay, donationIds, "voided");
  await changeOverlay(transaction, overlay, {});
}

/** `startedAt`, `endedAt`: milliseconds since 1970, by the database's clock. */
type ShownAlert = Readonly<{ donationId: string; startedAt: number; endedAt: number }>;

/** Records that an alert was shown: the span lasts as long as the alert did, and has a link to the request that acknowledged its end. */
function traceShown({ donationId, startedAt, endedAt }: ShownAlert): void {
  const request = currentSpan();
  const parent = traceOf(donationId);
  if (parent !== undefined)
    activeTracing()
      ?.start("show alert", { parent, startedAt, links: request ? [request] : [] })
      .end({ at: endedAt });
}
