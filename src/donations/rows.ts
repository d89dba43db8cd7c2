// Rows of the donations table, and how they are read.

import type { StoredDonation } from "./donation.ts";
import { skippedOnRequest } from "./donation.ts";

/** What `columns` select. */
export type DonationRow = {
  streamer_id: string;
  id: string;
  application_id: string;
  idempotency_key: string | null;
  donator_name: string;
  donator_key: string;
  amount: string;
  currency: StoredDonation["currency"];
  message: string;
  identifier: string | null;
  skip_alert: boolean;
  source: StoredDonation["source"];
  channel: StoredDonation["channel"];
  created_at_ms: number;
  created_offset: number | null;
  received_at_ms: number;
  sequence: number;
  alert_status: StoredDonation["alert"]["status"] | null;
  alert_reason: StoredDonation["alert"]["reason"];
  alert_shown_at_ms: number | null;
};

/** Select list over `donations d left join alerts a`. */
export const columns = `d.streamer_id, d.id, d.application_id, d.idempotency_key, d.donator_name, d.donator_key, d.amount, d.currency,
  d.message, d.identifier, d.skip_alert, d.source, d.channel, to_millis(d.created_at) as created_at_ms, d.created_offset,
  to_millis(d.received_at) as received_at_ms, d.sequence,
  a.status as alert_status, a.reason as alert_reason, to_millis(a.shown_at) as alert_shown_at_ms`;

export const withAlert = "left join alerts a on a.streamer_id = d.streamer_id and a.donation_id = d.id";

/** Reads a row. A donation without an alert row asked for none. */
export function fromRow(row: DonationRow): StoredDonation {
  return {
    streamerId: row.streamer_id,
    id: row.id,
    applicationId: row.application_id,
    idempotencyKey: row.idempotency_key,
    donatorName: row.donator_name,
    donatorKey: row.donator_key,
    amount: Number(row.amount),
    currency: row.currency,
    message: row.message,
    identifier: row.identifier,
    skipAlert: row.skip_alert,
    source: row.source,
    channel: row.channel,
    createdAt: row.created_at_ms,
    createdOffset: row.created_offset,
    receivedAt: row.received_at_ms,
    sequence: row.sequence,
    alert:
      row.alert_status === null ? skippedOnRequest : { status: row.alert_status, reason: row.alert_reason, shownAt: row.alert_shown_at_ms },
  };
}
