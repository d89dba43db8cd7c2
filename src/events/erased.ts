// Records donation.erased in the streamer's log, and takes what receivers of webhooks answered about erased donations.

import type { Knex } from "knex";

/** An erased donation. `details`: members that it has now and not since it was recorded. */
export type ErasedDonation = Readonly<{ donationId: string; details: object }>;

/** Records the events in their order, in the caller's transaction, numbered from the streamer's counter. */
export async function recordErased(transaction: Knex.Transaction, streamerId: string, events: readonly ErasedDonation[]): Promise<void> {
  await transaction.raw(
    `with counted as (
       update streamers set last_sequence = last_sequence + ? where id = ? returning id, last_sequence - ? as before
     )
     insert into events (streamer_id, type, sequence, id, occurred_at, donation_id, details)
     select c.id, 'donation.erased', c.before + e.place, uuid_v7(), date_trunc('milliseconds', clock_timestamp()), e.donation_id, e.details
     from counted c cross join unnest(?::uuid[], ?::jsonb[]) with ordinality as e(donation_id, details, place)`,
    [
      events.length,
      streamerId,
      events.length,
      events.map(({ donationId }) => donationId),
      events.map(({ details }) => JSON.stringify(details)),
    ] as never,
  );
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
  const { rowCount } = await transaction.raw<{ rowCount: number }>(
    `update webhook_deliveries d set ${withoutAnswers}
     where ${ofStreamer} and ${hasAnswer} and d.event_id = any(array(
       select unnest(?::uuid[])
       union all select id from events where streamer_id = ? and donation_id = any(?::uuid[])))`,
    [streamerId, donationIds, streamerId, donationIds] as never,
  );
  return rowCount;
}

/**
 * The same for the deliveries that were first made since then (milliseconds since 1970) or are still repeated: their requests may have been
 * under way while the donation was erased.
 */
export async function forgetLateAnswers(knex: Knex, streamerId: string, since: number): Promise<void> {
  await knex.raw(
    `update webhook_deliveries d set ${withoutAnswers}
     where ${ofStreamer} and ${hasAnswer} and (d.created_at >= from_millis(?) or d.next_attempt_at is not null) and exists (
       select from donations e where e.streamer_id = ? and e.donator_key like 'e:%' and (
         e.id = d.event_id or e.id = (select donation_id from events v where v.streamer_id = ? and v.id = d.event_id and v.type = d.type and v.sequence = d.position)))`,
    [streamerId, Math.floor(since), streamerId, streamerId],
  );
}
