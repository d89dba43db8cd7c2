// One step of a streamer's queue, under the lock of its overlay: decides who plays, applies time-outs, takes alerts in and hands out the
// next playback. It depends on rows and the database's clock only, so any process may take the next step.

import { forEachInTurn } from "../../base/async.ts";
import { applyTimeout, deadlineOf } from "./end.ts";
import { absentTime, expireWaiting, streamerBatch } from "./expiry.ts";
import { grantLease, isLocal, renewOrRelease } from "./lease.ts";
import { changeOverlay, isLive, type Overlay, readOverlay, withOverlay } from "./overlay.ts";
import { untilNextStart } from "./pace.ts";
import { activePartOf, openPlaybacks } from "./playbacks.ts";
import { playNext } from "./start.ts";
import {
  activePlayback,
  beginStep,
  endStep,
  type LocalConnections,
  type QueueStep,
  type QueueStepDeps,
  type QueueView,
  saveLease,
  waitingOf,
} from "./step.ts";

/** Takes a step for the connections of this process. */
export function advance(deps: QueueStepDeps, streamerId: string, local: LocalConnections): Promise<QueueView> {
  return withOverlay(deps.knex, streamerId, async (trx, overlay) => {
    const step = await beginStep(deps, trx, overlay, local);
    renewOrRelease(step);
    await applyTimeout(step);
    await grantLease(step);
    await saveLease(step);
    if (isLive(step.lease, step.now) && isLocal(step.lease, local)) await playNext(step);
    return viewOf(await endStep(step), step);
  });
}

/** Reads the queue without a step and without a lock, for connections that only listen. Null for an unknown streamer. */
export async function readView(deps: QueueStepDeps, streamerId: string): Promise<QueueView | null> {
  const overlay = await readOverlay(deps.knex, streamerId);
  if (!overlay) return null;
  const rows = await openPlaybacks(deps.knex, streamerId, 1);
  return viewOf(overlay, { rows, deps, unresponsive: null, more: false });
}

type Seen = { rows: QueueStep["rows"]; deps: QueueStepDeps; unresponsive: string | null; more: boolean };

function viewOf(overlay: Overlay, seen: Seen): QueueView {
  const { lease, now } = overlay;
  const current = activePlayback(seen.rows);
  const active = current && activePartOf(current);
  const live = isLive(lease, now);
  return {
    overlay,
    playerConnectionId: live ? lease.connectionId : null,
    playback: live ? (current?.playerId === lease.playerId ? current : null) : current,
    preparing: waitingOf(seen.rows).filter(({ state }) => state === "preparing"),
    dueInMs: active ? deadlineOf(active, lease, now, seen.deps.times) - now : untilNextStart(overlay, seen.rows) || null,
    unresponsive: seen.unresponsive,
    hasMore: seen.more,
  };
}

const noConnections = { players: [], departed: [] };

/** Ends abandoned playbacks and expires those that waited too long for a player; `changed` is told of each streamer whose queue changed. */
export async function settleAbandoned(deps: QueueStepDeps, changed: (streamerId: string) => void): Promise<void> {
  await forEachInTurn(await findAbandoned(deps), async (streamerId) => {
    const hasChanged = await withOverlay(deps.knex, streamerId, async (trx, overlay) => {
      if (isLive(overlay.lease, overlay.now)) return false;
      const step = await beginStep(deps, trx, overlay, noConnections);
      await applyTimeout(step);
      await saveLease(step);
      const { version } = await endStep(step);
      const expired = await expireWaiting(trx, streamerId, { now: overlay.now, absence: deps.times.absenceLimitMs });
      if (expired) await changeOverlay(trx, overlay, {});
      return expired || version !== overlay.version;
    });
    if (hasChanged) changed(streamerId);
  });
}

/**
 * Streamers without a player who have a playback past its deadline, or one that has waited long enough to expire. Absences are added up only
 * for playbacks that are old enough.
 */
async function findAbandoned({ knex, times }: QueueStepDeps): Promise<string[]> {
  const { rows } = await knex.raw<{ rows: { streamer_id: string }[] }>(
    `select distinct p.streamer_id from playbacks p join overlays o on o.streamer_id = p.streamer_id
     where p.state in ('preparing', 'queued', 'leased', 'playing') and (o.player_until is null or o.player_until < now())
       and (p.state = 'leased'
         or p.state = 'playing' and coalesce(o.player_until, '-infinity') < now() - :return * interval '1 millisecond'
         or p.state in ('preparing', 'queued') and p.waits_since < now() - :absence * interval '1 millisecond'
           and ${absentTime("p.streamer_id", "p.waits_since", "now()")} > :absence * interval '1 millisecond')
     limit ${streamerBatch}`,
    { return: times.returnLimitMs, absence: times.absenceLimitMs },
  );
  return rows.map(({ streamer_id }) => streamer_id);
}
