// Settles abandoned queues: playbacks whose player's process has died, and alerts for which no player has come.
// Any number of processes may sweep at the same time, because each skips rows that another one has locked.

import type { Knex } from "knex";
import { forEachInTurn } from "../../../base/async.ts";
import { isDistributed } from "../../../db/citus/distributed.ts";
import { isLive } from "../../player/current-playback.ts";
import { applyTimeout } from "../advance.ts";
import { changeOverlay, withOverlay } from "../overlay.ts";
import { expireWaiting } from "../playbacks.ts";
import { beginStep, endStep, type QueueStepDeps, saveLease } from "../queue-step.ts";
import { absentTime } from "./absent-time.ts";

/** Streamers that one sweep covers; the next one continues after them. */
const streamerBatch = 200;
const alertBatch = 500;
const hasNoPlayback = (streamer: string) =>
  `not exists (select from playbacks p where p.streamer_id = ${streamer} and p.donation_id = a.donation_id)`;
const noConnections = { players: [], departed: [] };

/** Ends abandoned playbacks and expires those that waited too long for a player; `changed` is told of each streamer whose queue changed. */
export async function settleAbandoned(deps: QueueStepDeps, changed: (streamerId: string) => void): Promise<void> {
  await forEachInTurn(await findAbandoned(deps), async (streamerId) => {
    const hasChanged = await withOverlay(deps.knex, streamerId, async (trx, overlay) => {
      if (isLive(overlay.lease, overlay.now)) return false;
      const step = await beginStep(deps, trx, overlay, noConnections);
      await applyTimeout(step);
      await saveLease(step);
      const { version } = (await endStep(step)).overlay;
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

/**
 * Expires alerts that have no playback yet, of the next streamers after `after` (null: from the first one). Resolves to where the next
 * sweep begins (null: at the first one), and `full` if there is more to expire at once.
 */
export async function expireAlerts({ knex, times }: QueueStepDeps, after: string | null): Promise<{ next: string | null; full: boolean }> {
  const due = await nextStreamers(knex, after, times.absenceLimitMs);
  let full = false;
  for (const { streamer_id, old } of due)
    if (old) full = (await expireAlertsOf(knex, streamer_id, times.absenceLimitMs)) === alertBatch || full;
  const next = due.length < streamerBatch ? null : (due.at(-1)?.streamer_id ?? null);
  return { next: full ? after : next, full };
}

/** Reads one index entry per streamer (loose index scan over waiting alerts), and whether the streamer's oldest alert is old enough. */
async function nextStreamers(knex: Knex, after: string | null, absence: number): Promise<{ streamer_id: string; old: boolean }[]> {
  const first = after ?? "00000000-0000-0000-0000-000000000000";
  if (isDistributed(knex)) {
    // All shards are asked for so many streamers at most. Citus knows a recursive query of one streamer alone.
    const { rows } = await knex.raw<{ rows: { streamer_id: string; old: boolean }[] }>(
      `select s.id as streamer_id, ${isOld("s.id")} as old from streamers s
       where s.id > ?::uuid and exists (select from alerts a where a.streamer_id = s.id and a.status = 'queued')
       order by s.id limit ${streamerBatch}`,
      [absence, first],
    );
    return rows;
  }
  const { rows } = await knex.raw<{ rows: { streamer_id: string; old: boolean }[] }>(
    `with recursive waiting(streamer_id, number) as (
       (select streamer_id, 1 from alerts where status = 'queued' and streamer_id > ?::uuid order by streamer_id limit 1)
       union all
       select (select a.streamer_id from alerts a where a.status = 'queued' and a.streamer_id > w.streamer_id order by a.streamer_id limit 1),
         number + 1
       from waiting w where w.streamer_id is not null and number < ${streamerBatch}
     )
     select streamer_id, ${isOld("w.streamer_id")} as old from waiting w where streamer_id is not null`,
    [first, absence],
  );
  return rows;
}

/**
 * Whether a streamer's oldest alert without a playback has waited for long enough without a player. None has waited for longer: a queue that is
 * old because it is paused while a player is there is neither locked nor read.
 */
const isOld = (streamer: string) => `coalesce((
  select ${absentTime("a.streamer_id", "a.received_at", "now()")} > ? * interval '1 millisecond' from alerts a
  where a.streamer_id = ${streamer} and a.status = 'queued' and ${hasNoPlayback("a.streamer_id")} order by a.sequence limit 1), false)`;

/** Looks at the oldest alerts alone, because no later one has waited for longer. Holds the lock of the overlay, like every change of an alert. */
function expireAlertsOf(knex: Knex, streamerId: string, absence: number): Promise<number> {
  return withOverlay(knex, streamerId, async (trx, { takenSequence }) => {
    const { rows } = await trx.raw<{ rows: { donation_id: string }[] }>(
      `select a.donation_id from (
         select a.donation_id, a.received_at from alerts a
         where a.streamer_id = :streamerId::uuid and a.status = 'queued' and a.sequence > :takenSequence and ${hasNoPlayback(":streamerId::uuid")}
         order by a.sequence limit ${alertBatch} for update of a
       ) a
       where ${absentTime(":streamerId::uuid", "a.received_at", "now()")} > :absence * interval '1 millisecond'`,
      { streamerId, takenSequence, absence },
    );
    const due = rows.map(({ donation_id }) => donation_id);
    if (due.length > 0) await trx("alerts").where("streamer_id", streamerId).whereIn("donation_id", due).update({ status: "expired" });
    return due.length;
  });
}
