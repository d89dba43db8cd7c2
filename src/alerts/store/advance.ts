// One step of a streamer's queue, under the lock of its overlay: decides who plays, applies time-outs, takes alerts in and hands out the
// next playback. It depends on rows and the database's clock only, so any process may take the next step.

import { isLive, timeoutOf } from "../player/current-playback.ts";
import { readOverlay, withOverlay } from "./overlay.ts";
import { playNext } from "./play-next.ts";
import { activePartOf, openPlaybacks, requeuePlayback } from "./playbacks.ts";
import { grantLease, isLocal, releasedLease, renewOrRelease } from "./players/player-lease.ts";
import {
  activePlayback,
  afterMove,
  beginStep,
  endStep,
  giveUpActive,
  type LocalConnections,
  type QueueStep,
  type QueueStepDeps,
  type QueueView,
  refOf,
  saveLease,
  viewOf,
} from "./queue-step.ts";

/** Takes a step for the connections of this process. */
export function advance(deps: QueueStepDeps, streamerId: string, local: LocalConnections): Promise<QueueView> {
  return withOverlay(deps.knex, streamerId, async (trx, overlay) => {
    const step = await beginStep(deps, trx, overlay, local);
    renewOrRelease(step);
    await applyTimeout(step);
    await grantLease(step);
    await saveLease(step);
    if (isLive(step.lease, step.now) && isLocal(step.lease, local)) await playNext(step);
    return endStep(step);
  });
}

/** Reads the queue without a step and without a lock, for connections that only listen. Null for an unknown streamer. */
export async function readView(deps: QueueStepDeps, streamerId: string): Promise<QueueView | null> {
  const overlay = await readOverlay(deps.knex, streamerId);
  if (!overlay) return null;
  const rows = await openPlaybacks(deps.knex, streamerId, 1);
  return viewOf(overlay, { rows, deps, unresponsive: null, more: false });
}

/** Ends or requeues the active playback if it is past its deadline. */
export async function applyTimeout(step: QueueStep): Promise<void> {
  const { trx, now, lease } = step;
  const current = activePlayback(step);
  const active = current && activePartOf(current);
  const outcome = active && timeoutOf(active, lease, now, step.deps.times);
  if (!current || !outcome) return;
  if (outcome.to === "queued") await afterMove(step, requeuePlayback(trx, refOf(step, current), outcome));
  else await giveUpActive(step, current);
  if (!("isUnresponsive" in outcome) || !outcome.isUnresponsive) return;
  step.unresponsive = lease.connectionId;
  step.lease = releasedLease(lease, now);
}
