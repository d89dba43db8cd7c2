// A streamer's log: recorded donations and the rows of `events`, in the order of the numbers that both have from one counter. Reads pages of it, and
// records events.

import type { Knex } from "knex";
import type { BatchedReads, Bind } from "../db/batched-reads.ts";
import { eachPart } from "../db/citus/layout.ts";
import { newId } from "../db/ids.ts";
import { toRecord } from "../donations/donation.ts";
import { isImported } from "../donations/import/import-store.ts";
import { fromRowAsRecorded, selectedAsRecorded } from "../donations/rows.ts";
import type { Schemas } from "../http/operations.ts";
import type { EventType, LoggedEvent } from "./event.ts";

export type LogQuestion = Readonly<{
  streamerId: string;
  after: number;
  types: readonly EventType[];
  /** False leaves out the events of imported donations, except those of their alerts. A page then has fewer events than `limit`. */
  withImported: boolean;
  limit: number;
}>;

/** Questions with the same name have the same answer at the same time. */
export function nameOf({ streamerId, after, types, withImported, limit }: LogQuestion): string {
  return `${streamerId} ${after} ${limit} ${withImported} ${types.join(" ")}`;
}

export type LogPage = Readonly<{
  events: readonly LoggedEvent[];
  /** Everything up to here is on this page or before it. */
  position: number;
  hasMore: boolean;
}>;

export type EventLog = Readonly<{
  /** Reads what follows `after`. */
  read: (question: LogQuestion) => Promise<LogPage>;
  /** The end of the log; 0 for an unknown streamer. */
  end: (streamerId: string) => Promise<number>;
  /** The ends of the logs of several streamers. */
  ends: (streamerIds: readonly string[]) => Promise<{ streamerId: string; end: number }[]>;
}>;

/** `donationId`: null when it concerns no single donation. `at`: milliseconds since 1970; null: now. */
type NewEvent = Readonly<{ donationId: string | null; at: number | null; details: object }>;

export type DonationStep = Readonly<{
  type: EventType;
  /** Milliseconds since 1970. */
  at: number;
  /** Why its alert was not shown; null for every other event. */
  reason: Schemas["SkipReason"] | null;
  isReplay: boolean;
}>;

type Row = {
  end: number;
  position: number | null;
  /** Null: the donation itself. */
  type: EventType | null;
  eventId: string;
  at: number;
  details: Readonly<Record<string, unknown>>;
  isImported: boolean;
  id: string;
  receivedAt: number;
};

const created = "donation.created";

/** The start of every log. */
export const logStart = 0;

export function eventLog(knex: Knex, reads: BatchedReads): EventLog {
  const end = async (streamerId: string) => {
    const [row] = await reads<{ end: number }>(
      (bind) => `select last_sequence as "end" from streamers where id = ${bind(streamerId, "uuid")}`,
    );
    return row?.end ?? logStart;
  };
  return {
    read: async (question) => {
      if (question.types.length === 0) return { events: [], position: await end(question.streamerId), hasMore: false };
      const rows = await reads<Row>((bind) => pageQuery(bind, question));
      return toPage(rows, question);
    },
    end,
    ends: (streamerIds) =>
      eachPart(knex, streamerIds, (ids) =>
        reads((bind) => `select id as "streamerId", last_sequence as "end" from streamers where id = any(${bind(ids, "text[]")}::uuid[])`),
      ),
  };
}

/** One statement, so that page and end of the log are of one snapshot: whatever commits later has a greater number than this end. */
function pageQuery(bind: Bind, { streamerId, after, types, limit }: LogQuestion): string {
  const [streamer, position, count] = [bind(streamerId, "uuid"), bind(after, "bigint"), bind(limit + 1, "integer")];
  const following = `streamer_id = ${streamer} and sequence > ${position}`;
  const recorded = `(select sequence as position, null::text as type, null::uuid as "eventId", null::bigint as at, id as donation_id,
      null::jsonb as details from donations where ${following} order by sequence limit ${count})`;
  const others = types.filter((type) => type !== created);
  const logged = () => `(select e.* from unnest(${bind(others, "text[]")}) as wanted(type) cross join lateral (
      select sequence as position, type, id, to_millis(occurred_at), donation_id, details from events
      where ${following} and type = wanted.type order by sequence limit ${count}) as e)`;
  const parts = [...(types.includes(created) ? [recorded] : []), ...(others.length > 0 ? [logged()] : [])];
  return `select s.last_sequence as "end", l.position, l.type, l."eventId", l.at, l.details, ${selectedAsRecorded},
      ${isImported(streamer, "d.sequence")} as "isImported"
    from streamers s
    left join lateral (
      select * from (${parts.join(" union all ")}) as parts(position, type, "eventId", at, donation_id, details) order by position limit ${count}
    ) l on true
    left join donations d on d.streamer_id = s.id and d.id = l.donation_id
    where s.id = ${streamer}`;
}

function toPage(rows: readonly Row[], { after, limit, withImported }: LogQuestion): LogPage {
  const found = rows.filter(({ position }) => position !== null) as (Row & { position: number })[];
  found.sort((a, b) => a.position - b.position); // a batch returns them in no particular order
  const events = found.slice(0, limit).map(toLogged);
  const hasMore = found.length > limit;
  // Left out here and not by the query: a page reads no more rows than its limit, however long the imported history is.
  const wanted = withImported ? events : events.filter(({ type, isImported }) => !(isImported && type.startsWith("donation.")));
  return { events: wanted, hasMore, position: hasMore ? (events.at(-1)?.position ?? after) : (rows[0]?.end ?? after) };
}

/** The event of a recorded donation has the id of the donation: both are made once. */
function toLogged(row: Row & { position: number }): LoggedEvent {
  const { position, type, eventId, at, details } = row;
  // An event shows its donation as it was recorded.
  const donationFor = row.id === null ? null : (applicationId: string) => toRecord(fromRowAsRecorded(row as never), applicationId);
  const ofDonation = { position, donationId: row.id, donationFor, isImported: row.isImported };
  if (type === null) return { ...ofDonation, id: row.id, type: created, at: row.receivedAt, details: {} };
  return { ...ofDonation, id: eventId, type, at, details };
}

/** Locks the streamer's counter. Resolves to the time under the lock, which never goes back for a streamer, in milliseconds since 1970. */
export async function lockStreamer(transaction: Knex.Transaction, streamerId: string): Promise<number> {
  const { rows } = await transaction.raw<{ rows: { now: number }[] }>(
    `with locked as materialized (select last_received_at from streamers where id = ? for update)
     select to_millis(greatest(date_trunc('milliseconds', clock_timestamp()), last_received_at)) as now from locked`,
    [streamerId],
  );
  return (rows[0] as { now: number }).now;
}

/** Records events of one type in their order, in the caller's transaction, which holds the lock of the streamer's row from here on. */
export async function recordEvents(
  transaction: Knex.Transaction,
  { streamerId, type }: { streamerId: string; type: EventType },
  events: readonly NewEvent[],
): Promise<void> {
  // Two statements: Citus inserts with none that changes another table.
  const { rows } = await transaction.raw<{ rows: { before: number; now: number }[] }>(
    `update streamers set last_sequence = last_sequence + :count where id = :streamerId
     returning last_sequence - :count as before`,
    { count: events.length, streamerId },
  );
  await transaction.raw(
    `insert into events (streamer_id, type, sequence, id, occurred_at, donation_id, details)
     select s.id, :type::text, :before::bigint + e.place, e.id, coalesce(from_millis(e.at), date_trunc('milliseconds', statement_timestamp())),
       e.donation_id, e.details
     from streamers s cross join unnest(:ids::uuid[], :times::bigint[], :donations::uuid[], :details::jsonb[]) with ordinality
       as e(id, at, donation_id, details, place)
     where s.id = :streamerId::uuid`,
    {
      streamerId,
      type,
      before: rows[0]?.before ?? 0,
      ids: events.map(() => newId()),
      times: events.map(({ at }) => at),
      donations: events.map(({ donationId }) => donationId),
      details: events.map(({ details }) => JSON.stringify(details)),
    },
  );
}

/** Finds what is logged of the streamer's donation, oldest first. That it was recorded is no row of the log, and a row is kept for 90 days. */
export async function findDonationEvents(knex: Knex, streamerId: string, donationId: string): Promise<DonationStep[]> {
  const { rows } = await knex.raw<{ rows: DonationStep[] }>(
    `select type, to_millis(occurred_at) as at, details ->> 'reason' as reason, coalesce((details -> 'isReplay')::boolean, false) as "isReplay"
     from events where streamer_id = ? and donation_id = ? order by sequence`,
    [streamerId, donationId],
  );
  return rows;
}
