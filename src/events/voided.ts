// Records donation.voided in the streamer's log.

import type { Knex } from "knex";
import { recordEvents } from "./record-events.ts";

/** `at`: milliseconds since 1970. `details`: members of the donation that it has since this event. */
export type VoidedDonation = Readonly<{ donationId: string; at: number; details: object }>;

/** Records the events in their order, in the caller's transaction. */
export function recordVoided(transaction: Knex.Transaction, streamerId: string, events: readonly VoidedDonation[]): Promise<void> {
  return recordEvents(transaction, { streamerId, type: "donation.voided" }, events);
}
