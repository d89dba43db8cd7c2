// Records events in a streamer's log, numbered from the streamer's counter.

import type { Knex } from "knex";
import { newId } from "../db/ids.ts";
import type { EventType } from "./event.ts";

/** `donationId`: null when it concerns no single donation. `at`: milliseconds since 1970; null: now. */
export type NewEvent = Readonly<{ donationId: string | null; at: number | null; details: object }>;

/** Records events of one type in their order, in the caller's transaction, which holds the lock of the streamer's row from here on. */
export async function recordEvents(
  transaction: Knex.Transaction,
  { streamerId, type }: { streamerId: string; type: EventType },
  events: readonly NewEvent[],
): Promise<void> {
  // Two statements: a distributed database inserts with none that changes another table.
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
