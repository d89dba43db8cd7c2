// Reads rows of the donations table with their alerts.

import { type DonationColumns, members, selectList } from "./columns.ts";
import { type StoredDonation, skippedOnRequest } from "./donation.ts";

/** A row of `selected`. */
export type DonationRow = DonationColumns & {
  receivedAt: number;
  sequence: number;
  alertStatus: StoredDonation["alert"]["status"] | null;
  alertReason: StoredDonation["alert"]["reason"];
  alertShownAt: number | null;
};

/** Select list over `donations d left join alerts a`. */
export const selected = `${selectList(members)}, to_millis(d.received_at) as "receivedAt", d.sequence,
  a.status as "alertStatus", a.reason as "alertReason", to_millis(a.shown_at) as "alertShownAt"`;

export const withAlert = "left join alerts a on a.streamer_id = d.streamer_id and a.donation_id = d.id";

/** Reads a row. A donation without an alert row was posted with skipAlert. */
export function fromRow(row: DonationRow): StoredDonation {
  return {
    streamerId: row.streamerId,
    id: row.id,
    applicationId: row.applicationId,
    idempotencyKey: row.idempotencyKey,
    donatorName: row.donatorName,
    donatorKey: row.donatorKey,
    amount: Number(row.amount),
    currency: row.currency,
    message: row.message,
    identifier: row.identifier,
    skipAlert: row.skipAlert,
    source: row.source,
    channel: row.channel,
    createdAt: row.createdAt,
    createdOffset: row.createdOffset,
    receivedAt: row.receivedAt,
    sequence: row.sequence,
    alert: row.alertStatus === null ? skippedOnRequest : { status: row.alertStatus, reason: row.alertReason, shownAt: row.alertShownAt },
  };
}

/** Select list over `donations d`: what a donation was when it was recorded, before its alert moved on. */
export const selectedAsRecorded = `${selectList(members)}, to_millis(d.received_at) as "receivedAt", d.sequence`;

/** Reads a row of `selectedAsRecorded`. */
export function fromRowAsRecorded(row: Omit<DonationRow, "alertStatus" | "alertReason" | "alertShownAt">): StoredDonation {
  return fromRow({ ...row, alertStatus: row.skipAlert ? null : "queued", alertReason: null, alertShownAt: null });
}
