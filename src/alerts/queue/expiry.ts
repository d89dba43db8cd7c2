// Alerts that no player came for expire. Only the time without a connected player counts.

import type { Knex } from "knex";
import { placed } from "../../db/citus/layout.ts";
import { type Overlay, withOverlay } from "./overlay.ts";
import { openStates, type Part, updatePlaybacks, waitingStates } from "./playbacks.ts";
import type { QueueStepDeps } from "./step.ts";

/**
 * An SQL expression: the interval, within the time from `since` to `until`, in which the streamer had no connected player. All parameters are SQL.
 * It is text of the statement and no function of the database, because a function that reads a table can't be part of a statement on another node.
 */
export function absentTime(streamer: string, since: string, until: string): string {
  return `(coalesce((
      select sum(back_at - greatest(gone_at, ${since})) from overlay_absences where streamer_id = ${streamer} and back_at > ${since}), '0')
    + coalesce((
      select greatest(${until} - greatest(player_until, ${since}), '0') from overlays
      where streamer_id = ${streamer} and player_until is not null), ${until} - ${since}))`;
}

/**
 * Shorter absences are not counted. An alert expires after ten minutes of absences, so a streamer with a waiting alert has 600 rows or so at
 * most, however often pages connect; every sweep adds them up.
 */
const shortestAbsenceMs = 1_000;

/** Records the absence that ends because a player has come, and deletes absences that are older than every waiting alert. */
export async function endAbsence(trx: Knex, { streamerId, lease, now }: Overlay): Promise<void> {
  if (lease.until !== null && now - lease.until < shortestAbsenceMs) return;
  await trx.raw(
    `insert into overlay_absences (streamer_id, gone_at, back_at)
     values (?, ${lease.until === null ? "'-infinity'" : "from_millis(?)"}, from_millis(?)) on conflict do nothing`,
    [streamerId, ...(lease.until === null ? [] : [lease.until]), now],
  );
  await trx.raw(
    `delete from overlay_absences where streamer_id = ? and back_at < least(
       from_millis(?),
       (select min(waits_since) from playbacks where streamer_id = ? and state in ${openStates}),
       (select a.received_at from alerts a where a.streamer_id = ? and a.status = 'queued' order by a.sequence limit 1))`,
    [streamerId, now, streamerId, streamerId],
  );
}

/** Expires playbacks that have waited too long without a connected player. Resolves to false if there was none. */
export async function expireWaiting(trx: Knex, streamerId: string, { now, absence }: { now: number; absence: number }): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `select p.id from playbacks p where p.streamer_id = :streamerId and p.state in ${waitingStates}
       and ${absentTime(":streamerId::uuid", "p.waits_since", "from_millis(:now)")} > :absence * interval '1 millisecond'`,
    { streamerId, now, absence },
  );
  if (rows.length === 0) return false;
  const set: Part = ["state = 'expired', ended_at = from_millis(?)", now];
  return updatePlaybacks(trx, streamerId, { set, where: ["p.id = any(?::uuid[])", rows.map(({ id }) => id)] });
}

/** Streamers that one sweep covers; the next one continues after them. */
export const streamerBatch = 200;
const alertBatch = 500;
const hasNoPlayback = (streamer: string) =>
  `not exists (select from playbacks p where p.streamer_id = ${streamer} and p.donation_id = a.donation_id)`;

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

type Waiting = { streamer_id: string; old: boolean };

/** Streamers with waiting alerts, and whether the oldest alert of each is old enough. */
const nextStreamers = async (knex: Knex, after: string | null, absence: number): Promise<Waiting[]> =>
  (await knex.raw<{ rows: Waiting[] }>(nextStreamersSql(knex), { first: after ?? "00000000-0000-0000-0000-000000000000", absence })).rows;

const nextStreamersSql = placed({
  // Reads one index entry per streamer: a loose index scan over waiting alerts.
  onServer: () =>
    `with recursive waiting(streamer_id, number) as (
       (select streamer_id, 1 from alerts where status = 'queued' and streamer_id > :first::uuid order by streamer_id limit 1)
       union all
       select (select a.streamer_id from alerts a where a.status = 'queued' and a.streamer_id > w.streamer_id order by a.streamer_id limit 1),
         number + 1
       from waiting w where w.streamer_id is not null and number < ${streamerBatch}
     )
     select streamer_id, ${isOld("w.streamer_id")} as old from waiting w where streamer_id is not null`,
  // All shards are asked for so many streamers at most. Citus knows a recursive query of one streamer alone.
  onNodes: () =>
    `select s.id as streamer_id, ${isOld("s.id")} as old from streamers s
     where s.id > :first::uuid and exists (select from alerts a where a.streamer_id = s.id and a.status = 'queued')
     order by s.id limit ${streamerBatch}`,
});

/**
 * Whether a streamer's oldest alert without a playback has waited for long enough without a player. None has waited for longer: a queue that is
 * old because it is paused while a player is there is neither locked nor read.
 */
const isOld = (streamer: string) => `coalesce((
  select ${absentTime("a.streamer_id", "a.received_at", "now()")} > :absence * interval '1 millisecond' from alerts a
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
