// Records donation.voided in the streamer's log.

import type { Knex } from "knex";

/** `at`: milliseconds since 1970. `details`: members of the donation that it has since this event. */
export type VoidedDonation = Readonly<{ donationId: string; at: number; details: object }>;

/** Records the events in their order, in the caller's transaction, numbered from the streamer's counter. */
export async function recordVoided(transaction: Knex.Transaction, streamerId: string, events: readonly VoidedDonation[]): Promise<void> {
  await transaction.raw(
    `with counted as (
       update streamers set last_sequence = last_sequence + ? where id = ? returning id, last_sequence - ? as before
     )
     insert into events (streamer_id, type, sequence, id, occurred_at, donation_id, details)
     select c.id, 'donation.voided', c.before + e.place, uuid_v7(), from_millis(e.at), e.donation_id, e.details
     from counted c cross join unnest(?::uuid[], ?::bigint[], ?::jsonb[]) with ordinality as e(donation_id, at, details, place)`,
    [
      events.length,
      streamerId,
      events.length,
      events.map(({ donationId }) => donationId),
      events.map(({ at }) => at),
      events.map(({ details }) => JSON.stringify(details)),
    ] as never,
  );
}
