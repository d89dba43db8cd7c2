// Records donation.erased in the streamer's log, and takes what receivers of webhooks answered about erased donations.

import type { Knex } from "knex";
import { recordEvents } from "./log.ts";

/** An erased donation. `details`: members that it has now and not since it was recorded. */
type ErasedDonation = Readonly<{ donationId: string; details: object }>;

/** Records the events in their order, in the caller's transaction. */
export function recordErased(transaction: Knex.Transaction, streamerId: string, events: readonly ErasedDonation[]): Promise<void> {
  const now = events.map((event) => ({ ...event, at: null }));
  return recordEvents(transaction, { streamerId, type: "donation.erased" }, now);
}

const withoutAnswers = `attempts = (
  select coalesce(jsonb_agg(attempt || '{"answer": null}' order by place), '[]') from jsonb_array_elements(d.attempts) with ordinality as a(attempt, place)
)`;
const hasAnswer = `exists (select from jsonb_array_elements(d.attempts) attempt where attempt ->> 'answer' is not null)`;
const ofStreamer = "d.endpoint_id = any(array(select id from webhook_endpoints where streamer_id = ?::uuid))";

/**
 * A receiver may answer with what it was sent, so the answers to events of these donations are erased. What was sent is read from the
 * donations each time, and is kept nowhere. Resolves to how many deliveries had an answer.
 */
export async function forgetAnswers(transaction: Knex, streamerId: string, donationIds: readonly string[]): Promise<number> {
  const { rows } = await transaction.raw<{ rows: { id: string }[] }>(
    "select id from events where streamer_id = ? and donation_id = any(?::uuid[])",
    [streamerId, donationIds],
  );
  const { rowCount } = await transaction.raw<{ rowCount: number }>(
    `update webhook_deliveries d set ${withoutAnswers} where ${ofStreamer} and ${hasAnswer} and d.event_id = any(?::uuid[])`,
    [streamerId, [...donationIds, ...rows.map(({ id }) => id)]],
  );
  return rowCount;
}

/**
 * The same for the deliveries that were made or repeated since then (milliseconds since 1970) or are still repeated: their requests may have
 * been under way while the donation was erased.
 */
export async function forgetLateAnswers(knex: Knex, streamerId: string, since: number): Promise<void> {
  type Answered = { id: string; type: string; position: number };
  const { rows: answered } = await knex.raw<{ rows: Answered[] }>(
    `select d.event_id as id, d.type, d.position from webhook_deliveries d
     where ${ofStreamer} and ${hasAnswer}
       and (d.created_at >= from_millis(?) or d.next_attempt_at is not null or (d.attempts -> -1 ->> 'at')::numeric >= ?)`,
    [streamerId, Math.floor(since), Math.floor(since)],
  );
  if (answered.length === 0) return;
  const { rows: erased } = await knex.raw<{ rows: { id: string }[] }>(
    `select a.id from unnest(:ids::uuid[], :types::text[], :positions::bigint[]) as a(id, type, position)
     left join events v on v.streamer_id = :streamerId::uuid and v.id = a.id and v.type = a.type and v.sequence = a.position
     join donations e on e.streamer_id = :streamerId::uuid and e.donator_key like 'e:%' and e.id in (a.id, v.donation_id)`,
    {
      streamerId,
      ids: answered.map(({ id }) => id),
      types: answered.map(({ type }) => type),
      positions: answered.map(({ position }) => position),
    },
  );
  await knex.raw(`update webhook_deliveries d set ${withoutAnswers} where ${ofStreamer} and ${hasAnswer} and d.event_id = any(?::uuid[])`, [
    streamerId,
    erased.map(({ id }) => id),
  ]);
}
