// Intake: alerts that pass the streamer's filters get a playback, in the order of recording, shortly before a player needs it.

import type { Knex } from "knex";
import { makeYield } from "../../base/async.ts";
import { verdictOf } from "../queue/filter.ts";
import { chooseVariation, type VariedDonation } from "../queue/variation.ts";
import { holdAlerts } from "./approval/held-alerts.ts";
import { type DonationContent, type DonationRow, donationColumns, fromDonationRow } from "./donated.ts";
import type { Overlay } from "./overlay.ts";
import { addPlaybacks, type NewPlayback } from "./playbacks.ts";
import { absentTime } from "./players/absent-time.ts";

export type Intake = {
  /** Sequence of the last alert that was examined. */
  takenSequence: number;
  /** Number of playbacks that were added. */
  taken: number;
  /** There may be more alerts to examine. */
  hasMore: boolean;
};

export type IntakeRules = { maxTaken: number; state: "preparing" | "queued"; absence: number };
export type EarlyIntake = Omit<IntakeRules, "maxTaken"> & { donationId: string };

type WaitingAlert = DonationContent & Pick<VariedDonation, "channel"> & { sequence: number; waitsSince: number; expired: boolean };
type WaitingAlertRow = DonationRow & Pick<VariedDonation, "channel"> & { sequence: number; waits_since: number; expired: boolean };
type Outcome = { status: "skipped" | "expired"; reason: "below_minimum" | "filtered" | null };

/** Alerts that one statement reads. */
const batchSize = 50;

/** Takes in up to `maxTaken` alerts. */
export async function takeAlerts(trx: Knex, overlay: Overlay, from: number, { maxTaken, state, absence }: IntakeRules): Promise<Intake> {
  const alerts = await waitingAlerts(trx, overlay.streamerId, { from, absence });
  const taken: WaitingAlert[] = [];
  const held: WaitingAlert[] = [];
  const skipped: (WaitingAlert & Outcome)[] = [];
  let examined = 0;
  const letOthers = makeYield();
  for (const alert of alerts) {
    await letOthers();
    if (taken.length === maxTaken) break;
    examined += 1;
    const outcome = outcomeOf(alert, overlay);
    if (outcome === "play") taken.push(alert);
    else if (outcome === "hold") held.push(alert);
    else skipped.push({ ...alert, ...outcome });
  }
  await holdAlerts(trx, overlay, held);
  if (skipped.length > 0) await skipAlerts(trx, overlay.streamerId, skipped);
  if (taken.length > 0)
    await addPlaybacks(
      trx,
      overlay.streamerId,
      state,
      taken.map((alert) => toPlayback(alert, overlay)),
    );
  return { takenSequence: alerts[examined - 1]?.sequence ?? from, taken: taken.length, hasMore: examined === batchSize };
}

/** Takes the alert of a donation in before its turn. Resolves to false if none waits without a playback, or if it would not play. */
export async function takeEarly(trx: Knex, overlay: Overlay, { donationId, state, absence }: EarlyIntake): Promise<boolean> {
  const [alert] = await waitingAlerts(trx, overlay.streamerId, { from: overlay.takenSequence, absence, donationId });
  if (!alert || outcomeOf(alert, overlay) !== "play") return false;
  await addPlaybacks(trx, overlay.streamerId, state, [toPlayback(alert, overlay)]);
  return true;
}

function toPlayback(alert: WaitingAlert, { settings }: Overlay): NewPlayback {
  return { ...alert, replay: false, variation: chooseVariation(settings.variations, alert) };
}

function outcomeOf(alert: WaitingAlert, { settings }: Overlay): Outcome | "play" | "hold" {
  if (alert.expired) return { status: "expired", reason: null };
  const verdict = verdictOf(alert, settings);
  return verdict === "play" || verdict === "hold" ? verdict : { status: "skipped", reason: verdict };
}

/** Alerts behind the sequence `from`, of all donations or of one. */
type WaitingRange = { from: number; absence: number; donationId?: string };

/** Locks the alerts and reads their status under the lock, because the sweep may expire them at the same time. */
async function waitingAlerts(trx: Knex, streamerId: string, { from, absence, donationId }: WaitingRange): Promise<WaitingAlert[]> {
  const { rows } = await trx.raw<{ rows: WaitingAlertRow[] }>(
    `select a.sequence, to_millis(coalesce(a.received_at, d.received_at)) as waits_since,
       ${absentTime(":streamerId::uuid", "coalesce(a.received_at, d.received_at)", "clock_timestamp()")} > :absence * interval '1 millisecond' as expired,
       ${donationColumns}, d.channel
     from alerts a join donations d on d.streamer_id = a.streamer_id and d.id = a.donation_id
     where a.streamer_id = :streamerId::uuid and a.status = 'queued' and a.sequence > :from ${donationId ? "and a.donation_id = :donationId" : ""}
       and not exists (select from playbacks p where p.streamer_id = :streamerId::uuid and p.donation_id = a.donation_id)
     order by a.sequence limit ${batchSize} for update of a`,
    { streamerId, from, absence, ...(donationId && { donationId }) },
  );
  return rows.map((row) => {
    const { sequence, waits_since: waitsSince, expired, channel } = row;
    return { ...fromDonationRow(row), sequence, waitsSince, expired, channel };
  });
}

async function skipAlerts(trx: Knex, streamerId: string, alerts: readonly (WaitingAlert & Outcome)[]): Promise<void> {
  await trx.raw(
    `update alerts a set status = r.status, reason = r.reason from unnest(?::uuid[], ?::text[], ?::text[]) as r(donation_id, status, reason)
     where a.streamer_id = ? and a.donation_id = r.donation_id`,
    [alerts.map(({ donationId }) => donationId), alerts.map(({ status }) => status), alerts.map(({ reason }) => reason), streamerId],
  );
}
