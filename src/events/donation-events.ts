// What happened to one donation and its alert, for the streamer's own page about it. No operation of the contract asks for one donation.

import type { Knex } from "knex";
import type { Schemas } from "../http/operations.ts";
import type { EventType } from "./event.ts";

export type DonationStep = Readonly<{
  type: EventType;
  /** Milliseconds since 1970. */
  at: number;
  /** Why its alert was not shown; null for every other event. */
  reason: Schemas["SkipReason"] | null;
  isReplay: boolean;
}>;

/** Finds what is logged of the streamer's donation, oldest first. That it was recorded is no row of the log, and a row is kept for 90 days. */
export async function findDonationEvents(knex: Knex, streamerId: string, donationId: string): Promise<DonationStep[]> {
  const { rows } = await knex.raw<{ rows: DonationStep[] }>(
    `select type, to_millis(occurred_at) as at, details ->> 'reason' as reason, coalesce((details -> 'isReplay')::boolean, false) as "isReplay"
     from events where streamer_id = ? and donation_id = ? order by sequence`,
    [streamerId, donationId],
  );
  return rows;
}
