// A streamer's timer as it is stored, and what the streamer's log has for it since: donations that were recorded, and voids.

import { isDeepStrictEqual } from "node:util";
import type { Knex } from "knex";
import { formatInstantOrNull } from "../../base/instant.ts";
import { isImported } from "../../donations/import/import-store.ts";
import type { Schemas } from "../../http/operations.ts";
import { defaultRules, donated, endsAt, remainingMs, type Timer, type TimerRules, timerOff, voided } from "./timer.ts";

export type TimerReading = Readonly<{
  timer: Timer;
  /** As it is stored. */
  before: Timer;
  /** Everything of the log up to here has counted. */
  sequence: number;
  /** What donations have added that are not stored yet, by their ids. */
  added: ReadonlyMap<string, number>;
  /** Time of the database's clock. */
  now: number;
  /** The log may have more. */
  hasMore: boolean;
}>;

type Row = {
  end: number;
  now: number;
  status: Timer["status"] | null;
  at: number;
  leftMs: number;
  totalMs: number;
  startedAt: number | null;
  endedAt: number | null;
  rules: Partial<TimerRules>;
  /** Of what happened; null: nothing has. */
  sequence: number | null;
  donationId: string;
  time: number;
  /** Null: a void. */
  amount: string | null;
  isTest: boolean;
  isImported: boolean;
  /** What the void donation had added, if that is stored. */
  takenMs: number;
};

/** What one statement reads of the log. */
const pageSize = 1_000;

const isOpenSql = "t.status in ('running', 'paused')";
const page = `
  select sequence, id as donation_id, received_at, amount::text, source = 'test' as is_test,
    ${isImported(":streamerId", "donations.sequence")} as is_imported, 0::bigint as taken_ms
  from donations where streamer_id = :streamerId and sequence > t.counted_sequence and ${isOpenSql} order by sequence limit ${pageSize}`;
const voids = `
  select e.sequence, e.donation_id, e.occurred_at, null::text, false, false, coalesce(a.added_ms, 0)
  from events e left join timer_donations a on a.streamer_id = :streamerId and a.donation_id = e.donation_id
  where e.streamer_id = :streamerId and e.type = 'donation.voided' and e.sequence > t.counted_sequence and ${isOpenSql}
  order by e.sequence limit ${pageSize}`;

/** One statement, so that the stored timer and the log are of one snapshot. */
const statement = `
  select s.last_sequence as "end", to_millis(clock_timestamp()) as now,
    t.status, to_millis(t.counted_at) as at, t.left_ms as "leftMs", t.total_ms as "totalMs", to_millis(t.started_at) as "startedAt",
    to_millis(t.ended_at) as "endedAt", t.rules,
    l.sequence, l.donation_id as "donationId", to_millis(l.received_at) as time, l.amount, l.is_test as "isTest",
    l.is_imported as "isImported", l.taken_ms as "takenMs"
  from streamers s
  left join timers t on t.streamer_id = s.id
  left join lateral (
    select * from ((${page}) union all (${voids})) as parts order by sequence limit ${pageSize}
  ) l on true
  where s.id = :streamerId
  order by l.sequence`;

/** Reads the streamer's timer, and counts what the log has since, up to a page of it. A timer without a row is off. */
export async function readTimer(knex: Knex, streamerId: string): Promise<TimerReading> {
  const { rows } = await knex.raw<{ rows: Row[] }>(statement, { streamerId });
  const [first] = rows;
  if (!first) throw new Error("the streamer of a timer must be there");
  const added = new Map<string, number>();
  const before = stored(first);
  const timer = rows.reduce((counted, row) => count(counted, row, added), before);
  const hasMore = rows.length === pageSize;
  return { timer, before, added, hasMore, now: first.now, sequence: hasMore ? (rows.at(-1)?.sequence ?? first.end) : first.end };
}

function stored({ status, at, leftMs, totalMs, startedAt, endedAt, rules }: Row): Timer {
  if (status === null) return timerOff;
  return { status, at, leftMs, totalMs, startedAt, endedAt, ranOut: false, rules: { ...defaultRules, ...rules } };
}

function count(before: Timer, row: Row, added: Map<string, number>): Timer {
  const { sequence, time, amount, donationId, isTest, takenMs } = row;
  if (sequence === null) return before;
  if (amount === null) return voided(before, time, added.get(donationId) ?? takenMs);
  const { timer, addedMs } = donated(before, time, { amount, isTest, isImported: row.isImported });
  if (addedMs > 0) added.set(donationId, addedMs);
  return timer;
}

/** Locks the streamer's row of `timers`, if there is one. `skipLocked`: one that is locked counts as none. */
export async function lockTimer(trx: Knex, streamerId: string, skipLocked = false): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: unknown[] }>(
    `select from timers where streamer_id = ? for update${skipLocked ? " skip locked" : ""}`,
    [streamerId],
  );
  return rows.length > 0;
}

type StoredTimer = Pick<TimerReading, "timer" | "sequence" | "added">;

/** Stores the timer as it was read and counted, in the transaction that holds its lock. */
export async function storeTimer(trx: Knex, streamerId: string, { timer, sequence, added }: StoredTimer): Promise<void> {
  const { status, at, leftMs, totalMs, startedAt, endedAt, rules } = timer;
  await trx.raw(
    `update timers set status = :status, counted_at = from_millis(:at), left_ms = :leftMs, total_ms = :totalMs, started_at = from_millis(:startedAt),
       ended_at = from_millis(:endedAt), ends_at = from_millis(:endsAt), rules = :rules, counted_sequence = :sequence
     where streamer_id = :streamerId`,
    {
      ...{ streamerId, status, at, leftMs, totalMs, startedAt, endedAt, sequence },
      endsAt: endsAt(timer),
      rules: JSON.stringify(withoutDefaults(rules)),
    },
  );
  if (added.size === 0) return;
  const [ids, times] = [[...added.keys()], [...added.values()]];
  await trx.raw(
    `insert into timer_donations (streamer_id, donation_id, added_ms)
     select ?::uuid, donation_id, added_ms from unnest(?::uuid[], ?::bigint[]) as a(donation_id, added_ms)`,
    [streamerId, ids, times],
  );
}

function withoutDefaults(rules: TimerRules): Partial<TimerRules> {
  const members = Object.entries(rules) as [keyof TimerRules, unknown][];
  return Object.fromEntries(members.filter(([name, value]) => !isDeepStrictEqual(value, defaultRules[name])));
}

/** The times of the contract, as they are at `now`. */
export function timerTimes(timer: Timer, now: number): Omit<Schemas["Timer"], "rules" | "asOf"> {
  const { status, totalMs, startedAt, endedAt } = timer;
  return {
    ...{ status, remainingMs: remainingMs(timer, now), totalMs },
    endsAt: formatInstantOrNull(endsAt(timer)),
    ...{ startedAt: formatInstantOrNull(startedAt), endedAt: formatInstantOrNull(endedAt) },
  };
}

/** What a widget shows of the streamer's timer; null when it was never started. */
export async function readWidgetTimer(knex: Knex, streamerId: string): Promise<Schemas["WidgetTimer"] | null> {
  const { timer, now } = await readTimer(knex, streamerId);
  if (timer.status === "off") return null;
  const { status, remainingMs, endsAt } = timerTimes(timer, now);
  return { status, remainingMs, endsAt };
}
