// Reads rows of the donations table with their alerts.

import type { Knex } from "knex";
import { type DonationColumns, members, selectList } from "./columns.ts";
import { type StoredDonation, skippedOnRequest, type VoidReason } from "./donation.ts";

/** A row of `selected`. */
export type DonationRow = DonationColumns & {
  receivedAt: number;
  sequence: number;
  alertStatus: StoredDonation["alert"]["status"] | null;
  alertReason: StoredDonation["alert"]["reason"];
  alertShownAt: number | null;
  alertMasked: boolean | null;
} & VoidColumns;

/** Both null when the donation is not void. */
export type VoidColumns = { voidedAt: number | null; voidReason: VoidReason | null };

/** Select list over `donations d`. */
export const selectedVoid = `to_millis(d.voided_at) as "voidedAt", d.void_reason as "voidReason"`;

/** Select list over `donations d left join alerts a`. */
export const selected = `${selectList(members)}, to_millis(d.received_at) as "receivedAt", d.sequence, ${selectedVoid},
  case when a.status = 'held' then 'queued' else a.status end as "alertStatus", a.reason as "alertReason", to_millis(a.shown_at) as "alertShownAt",
  a.masked as "alertMasked"`;

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
    alert: toAlert(row),
    voided: toVoided(row),
  };
}

/** Reads those of these donations that the streamer has, in the order in which they were recorded. */
export async function readDonations(knex: Knex, streamerId: string, ids: readonly string[]): Promise<StoredDonation[]> {
  const { rows } = await knex.raw<{ rows: DonationRow[] }>(
    `select ${selected} from donations d ${withAlert} where d.streamer_id = ? and d.id = any(?::uuid[]) order by d.sequence`,
    [streamerId, ids],
  );
  return rows.map(fromRow);
}

function toAlert({ alertStatus, alertReason, alertShownAt, alertMasked }: DonationRow): StoredDonation["alert"] {
  if (alertStatus === null) return skippedOnRequest;
  return { status: alertStatus, reason: alertReason, shownAt: alertShownAt, masked: alertMasked === true };
}

function toVoided({ voidedAt, voidReason }: VoidColumns): StoredDonation["voided"] {
  return voidedAt === null || voidReason === null ? null : { at: voidedAt, reason: voidReason };
}

/** Select list over `donations d`: what a donation was when it was recorded, before its alert moved on and before it was voided. */
export const selectedAsRecorded = `${selectList(members)}, to_millis(d.received_at) as "receivedAt", d.sequence`;

/** Reads a row of `selectedAsRecorded`. */
export function fromRowAsRecorded(row: Omit<DonationRow, LaterColumn>): StoredDonation {
  return fromRow({
    ...row,
    alertStatus: row.skipAlert ? null : "queued",
    alertReason: null,
    alertShownAt: null,
    alertMasked: false,
    voidedAt: null,
    voidReason: null,
  });
}

/** Columns that change after a donation was recorded. */
type LaterColumn = "alertStatus" | "alertReason" | "alertShownAt" | "alertMasked" | keyof VoidColumns;
