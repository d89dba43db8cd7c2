// Intake: alerts that pass the streamer's filters get a playback, in the order of recording, shortly before a player needs it.

import type { Knex } from "knex";
import { skipReasonOf } from "../alert-filter.ts";
import { type DonationContent, type DonationRow, donationColumns, fromDonationRow } from "./donated.ts";
import type { Overlay } from "./overlay.ts";
import { addPlaybacks } from "./playbacks.ts";

export type Intake = {
  /** Sequence of the last alert that was examined. */
  takenSequence: number;
  /** Number of playbacks that were added. */
  taken: number;
  /** There may be more alerts to examine. */
  hasMore: boolean;
};

export type IntakeRules = { maxTaken: number; state: "preparing" | "queued"; absence: number };

type WaitingAlert = DonationContent & { sequence: number; waitsSince: number; expired: boolean };
type WaitingAlertRow = DonationRow & { sequence: number; waits_since: number; expired: boolean };
type Outcome = { status: "skipped" | "expired"; reason: "below_minimum" | "filtered" | null };

/** Alerts that one statement reads. */
const batchSize = 50;

/** Takes in up to `maxTaken` alerts. */
export async function takeAlerts(trx: Knex, overlay: Overlay, from: number, { maxTaken, state, absence }: IntakeRules): Promise<Intake> {
  const alerts = await waitingAlerts(trx, overlay.streamerId, from, absence);
  const taken: WaitingAlert[] = [];
  const skipped: (WaitingAlert & Outcome)[] = [];
  let examined = 0;
  for (const alert of alerts) {
    if (taken.length === maxTaken) break;
    examined += 1;
    const outcome = outcomeOf(alert, overlay);
    if (outcome) skipped.push({ ...alert, ...outcome });
    else taken.push(alert);
  }
  if (skipped.length > 0) await skipAlerts(trx, overlay.streamerId, skipped);
  if (taken.length > 0)
    await addPlaybacks(
      trx,
      overlay.streamerId,
      state,
      taken.map((alert) => ({ ...alert, replay: false })),
    );
  return { takenSequence: alerts[examined - 1]?.sequence ?? from, taken: taken.length, hasMore: examined === batchSize };
}

function outcomeOf(alert: WaitingAlert, { settings }: Overlay): Outcome | null {
  if (alert.expired) return { status: "expired", reason: null };
  const reason = skipReasonOf(alert, settings);
  return reason && { status: "skipped", reason };
}

/** Locks the alerts and reads their status under the lock, because the sweep may expire them at the same time. */
async function waitingAlerts(trx: Knex, streamerId: string, from: number, absence: number): Promise<WaitingAlert[]> {
  const { rows } = await trx.raw<{ rows: WaitingAlertRow[] }>(
    `select a.sequence, to_millis(coalesce(a.received_at, d.received_at)) as waits_since,
       absent_time(a.streamer_id, coalesce(a.received_at, d.received_at), clock_timestamp()) > ? * interval '1 millisecond' as expired, ${donationColumns}
     from alerts a join donations d on d.streamer_id = a.streamer_id and d.id = a.donation_id
     where a.streamer_id = ? and a.status = 'queued' and a.sequence > ?
       and not exists (select from playbacks p where p.streamer_id = a.streamer_id and p.donation_id = a.donation_id)
     order by a.sequence limit ${batchSize} for update of a`,
    [absence, streamerId, from],
  );
  return rows.map((row) => ({ ...fromDonationRow(row), sequence: row.sequence, waitsSince: row.waits_since, expired: row.expired }));
}

async function skipAlerts(trx: Knex, streamerId: string, alerts: readonly (WaitingAlert & Outcome)[]): Promise<void> {
  await trx.raw(
    `update alerts a set status = r.status, reason = r.reason from unnest(?::uuid[], ?::text[], ?::text[]) as r(donation_id, status, reason)
     where a.streamer_id = ? and a.donation_id = r.donation_id`,
    [
      alerts.map(({ donationId }) => donationId),
      alerts.map(({ status }) => status),
      alerts.map(({ reason }) => reason),
      streamerId,
    ] as never,
  );
}
