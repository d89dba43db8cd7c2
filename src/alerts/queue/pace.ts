// The pace of the queue: when the next alert may start, whether so many wait that they are shown for a shorter time, and whether the streamer
// is asked before what came meanwhile starts.

import type { Knex } from "knex";
import { changeOverlay, isLive, type Overlay } from "./overlay.ts";
import { type StoredPlayback, untaken, waitingStates } from "./playbacks.ts";
import { activePlayback, type QueueStep, waitingOf } from "./step.ts";

/** Milliseconds until the next alert may start; 0: now. Null: only a change lets it start, such as the end of the one that plays. */
export function untilNextStart(overlay: Overlay, rows: readonly StoredPlayback[]): number | null {
  const { clearedAt, settings, now } = overlay;
  if (overlay.paused || overlay.hidden || activePlayback(rows) || waitingOf(rows).length === 0) return null;
  if (clearedAt === null || clearedAt > now) return 0; // a clock that was set back would make the pause longer by as much
  return Math.max(clearedAt + settings.pauseSeconds * 1000 - now, 0);
}

/** The playback that may start now; null: none. A playback that still waits for its speech blocks those after it: the order is kept. */
export function nextToStart({ overlay, rows }: QueueStep): StoredPlayback | null {
  const [first] = waitingOf(rows);
  return untilNextStart(overlay, rows) === 0 && first?.state === "queued" ? first : null;
}

/** Whether at least `fasterFrom` alerts wait behind the next one. `takenSequence`: alerts up to here have a playback, or never get one. */
export async function isCrowded(trx: Knex, { streamerId, settings }: Overlay, takenSequence: number): Promise<boolean> {
  const { fasterFrom } = settings;
  if (fasterFrom === 0) return false;
  const enough = fasterFrom + 1;
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(
    `select count(*) from (
       (select 1 from playbacks p where p.streamer_id = ? and p.state in ${waitingStates} limit ?)
       union all
       (select 1 from alerts a where a.streamer_id = ? and a.status = 'queued' and a.sequence > ?
          and not exists (select from playbacks p where p.streamer_id = a.streamer_id and p.donation_id = a.donation_id) limit ?)) as waiting`,
    [streamerId, enough, streamerId, takenSequence, enough],
  );
  return (rows[0]?.count ?? 0) >= enough;
}

/** Call it before a player's absence ends. Whether the streamer has paused the queue already: nothing starts then, and nothing is asked. */
export async function askAboutBacklog(step: QueueStep): Promise<void> {
  const { trx, overlay, lease, now, deps } = step;
  if (isLive(lease, now)) return;
  const { absenceLimitMs } = deps.times;
  const goneAt = lease.until ?? 0;
  const asks = await hasBacklog(trx, overlay, Math.max(goneAt, now - absenceLimitMs));
  if (asks && !overlay.paused) await setAsking(step, true);
  // What it asked about has expired meanwhile.
  if (!asks && overlay.asking && now - goneAt > absenceLimitMs) await setAsking(step, false);
}

/** Call it when alerts were taken in: there may be nothing left to ask about. */
export async function endAsking(step: QueueStep): Promise<void> {
  if (step.overlay.asking && waitingOf(step.rows).length === 0 && !step.more) await setAsking(step, false);
}

async function setAsking(step: QueueStep, asking: boolean): Promise<void> {
  const change = { paused: asking, asking };
  step.overlay = { ...step.overlay, ...change, version: await changeOverlay(step.trx, step.overlay, change) };
}

/** Whether at least `askFrom` alerts wait that came since then. It reads no more of them: no older one came later. */
async function hasBacklog(trx: Knex, { streamerId, settings: { askFrom }, takenSequence }: Overlay, since: number): Promise<boolean> {
  if (askFrom === 0) return false;
  const { rows } = await trx.raw<{ rows: { count: number }[] }>(
    `select count(*) from (
       (select p.waits_since as since from playbacks p where p.streamer_id = ? and p.state in ${waitingStates})
       union all
       (select a.received_at from alerts a where ${untaken} order by a.sequence desc limit ?)) as waiting
     where since >= from_millis(?)`,
    [streamerId, streamerId, takenSequence, askFrom, Math.ceil(since)],
  );
  return (rows[0]?.count ?? 0) >= askFrom;
}
