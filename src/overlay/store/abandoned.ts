// What nobody looks after any more: playbacks whose player's process died, alerts that no player will ever come for.
// Any number of processes may sweep at once: locked rows are passed by.

import type { Knex } from "knex";
import { isLive } from "../current-playback.ts";
import { judge } from "./advance.ts";
import { changeOverlay, onOverlay } from "./overlay.ts";
import { expireWaiting } from "./playbacks.ts";
import { beginStep, endStep, type StepParts, saveLease } from "./queue-step.ts";

/** Streamers that one sweep looks at; the next one goes on behind them. */
const streamersAtOnce = 200;
const alertsAtOnce = 500;
const nobody = { players: [], gone: [] };

/** Ends what players left behind, and expires what waited too long for one. Answers whose queues changed. */
export async function settleAbandoned(parts: StepParts): Promise<string[]> {
  const changed: string[] = [];
  for (const streamerId of await abandoned(parts)) {
    const moved = await onOverlay(parts.knex, streamerId, async (trx, overlay) => {
      if (isLive(overlay.lease, overlay.now)) return false;
      const step = await beginStep(parts, trx, overlay, nobody);
      await judge(step);
      await saveLease(step);
      const { version } = (await endStep(step)).overlay;
      const expired = await expireWaiting(trx, streamerId, { now: overlay.now, absence: parts.times.absence });
      if (expired) await changeOverlay(trx, overlay, {});
      return expired || version !== overlay.version;
    });
    if (moved) changed.push(streamerId);
  }
  return changed;
}

/** Streamers without a player in whose queues time does something: one was in mid-play, or something waits long enough to be old. */
async function abandoned({ knex, times }: StepParts): Promise<string[]> {
  const { rows } = await knex.raw<{ rows: { streamer_id: string }[] }>(
    `select distinct p.streamer_id from playbacks p join overlays o on o.streamer_id = p.streamer_id
     where p.state in ('preparing', 'queued', 'leased', 'playing') and (o.player_until is null or o.player_until < now())
       and (p.state = 'leased'
         or p.state = 'playing' and coalesce(o.player_until, '-infinity') < now() - ? * interval '1 millisecond'
         or p.state in ('preparing', 'queued') and absent_time(p.streamer_id, p.waits_since, now()) > ? * interval '1 millisecond')
     limit ${streamersAtOnce}`,
    [times.comeBack, times.absence],
  );
  return rows.map(({ streamer_id }) => streamer_id);
}

/**
 * Expires alerts that nobody has taken in, of the next streamers behind `after` (null: from the first one on). Answers where to go on;
 * `full` when there is more at once.
 */
export async function expireAlerts({ knex, times }: StepParts, after: string | null): Promise<{ next: string | null; full: boolean }> {
  const due = await nextStreamers(knex, after, times.absence);
  let full = false;
  for (const { streamer_id, old } of due) if (old) full = (await expireOf(knex, streamer_id, times.absence)) === alertsAtOnce || full;
  const next = due.length < streamersAtOnce ? null : (due.at(-1)?.streamer_id ?? null);
  return { next: full ? after : next, full };
}

/** Hops from streamer to streamer along the index of waiting alerts, and looks at the oldest of each. */
async function nextStreamers(knex: Knex, after: string | null, absence: number): Promise<{ streamer_id: string; old: boolean }[]> {
  const { rows } = await knex.raw<{ rows: { streamer_id: string; old: boolean }[] }>(
    `with recursive waiting(streamer_id, number) as (
       (select streamer_id, 1 from alerts where status = 'queued' and streamer_id > ?::uuid order by streamer_id limit 1)
       union all
       select (select a.streamer_id from alerts a where a.status = 'queued' and a.streamer_id > w.streamer_id order by a.streamer_id limit 1),
         number + 1
       from waiting w where w.streamer_id is not null and number < ${streamersAtOnce}
     )
     select streamer_id, coalesce((
       select coalesce(a.received_at, '-infinity') < now() - ? * interval '1 millisecond' from alerts a
       where a.streamer_id = w.streamer_id and a.status = 'queued' order by a.sequence limit 1), false) as old
     from waiting w where streamer_id is not null`,
    [after ?? "00000000-0000-0000-0000-000000000000", absence],
  );
  return rows;
}

async function expireOf(knex: Knex, streamerId: string, absence: number): Promise<number> {
  const { rowCount } = await knex.raw<{ rowCount: number }>(
    `update alerts set status = 'expired' where streamer_id = ? and donation_id in (
       select a.donation_id from alerts a
       where a.streamer_id = ? and a.status = 'queued'
         and a.sequence > coalesce((select taken_sequence from overlays where streamer_id = ?), 0)
         and absent_time(a.streamer_id, coalesce(a.received_at, (
           select d.received_at from donations d where d.streamer_id = a.streamer_id and d.id = a.donation_id)), now()) > ? * interval '1 millisecond'
         and not exists (select from playbacks p where p.streamer_id = a.streamer_id and p.donation_id = a.donation_id)
       order by a.sequence limit ${alertsAtOnce} for update skip locked)`,
    [streamerId, streamerId, streamerId, absence],
  );
  return rowCount;
}
