// Intake: alerts that pass the streamer's filters get a playback, in the order of recording, shortly before a player needs it. A replay gets
// another one.

import type { Knex } from "knex";
import { recordAudit } from "../../audit/audit-log.ts";
import { makeYield } from "../../base/async.ts";
import { completeVariation, type NewVariation } from "../settings/settings.ts";
import { holdAlerts } from "./approval.ts";
import { absentTime } from "./expiry.ts";
import { type Channel, chooseVariation, type VariedDonation, verdictOf } from "./filter.ts";
import { changeOverlay, type Overlay, withOverlay } from "./overlay.ts";
import { addPlaybacks, type DonationContent, type DonationRow, donationColumns, fromDonationRow, type NewPlayback } from "./playbacks.ts";
import { firstState } from "./speech.ts";
import { afterMove, type QueueStep, type QueueStepDeps, waitingOf } from "./step.ts";

type Intake = {
  /** Sequence of the last alert that was examined. */
  takenSequence: number;
  /** Number of playbacks that were added. */
  taken: number;
  /** There may be more alerts to examine. */
  hasMore: boolean;
};

type IntakeRules = { maxTaken: number; state: "preparing" | "queued"; absence: number };
type EarlyIntake = Omit<IntakeRules, "maxTaken"> & { donationId: string };

type WaitingAlert = DonationContent & VariedDonation & { sequence: number; waitsSince: number; expired: boolean };
type WaitingAlertRow = DonationRow & { channel: Channel; sequence: number; waits_since: number; expired: boolean };
type Outcome = { status: "skipped" | "expired"; reason: "below_minimum" | "filtered" | null };

/** Alerts that one statement reads. */
const batchSize = 50;

/** Takes in up to `maxTaken` alerts. */
async function takeAlerts(trx: Knex, overlay: Overlay, from: number, { maxTaken, state, absence }: IntakeRules): Promise<Intake> {
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

/** Playbacks that wait in the queue, so that their speech is made in time. */
const lookAhead = 3;

/** Statements that read alerts in one step: a filter may skip nearly all of them. */
const maxReads = 5;

/** Takes alerts in until enough playbacks wait, or until the step has read enough: then another one must follow. */
export async function fillLookAhead(step: QueueStep): Promise<void> {
  const { trx, overlay, deps } = step;
  const state = firstState(overlay.settings, deps.speech);
  step.more = false;
  for (let reads = 0; waitingOf(step.rows).length < lookAhead; reads += 1) {
    step.more = reads === maxReads;
    if (step.more) return;
    const maxTaken = lookAhead - waitingOf(step.rows).length;
    const {
      takenSequence,
      taken,
      hasMore: more,
    } = await takeAlerts(trx, overlay, step.takenSequence, { maxTaken, state, absence: deps.times.absenceLimitMs });
    step.takenSequence = takenSequence;
    if (taken > 0) await afterMove(step, Promise.resolve());
    if (!more) return;
  }
}

type Replayed = DonationContent & { playbackId: string; status: "preparing" | "queued"; masked: boolean };

/** Queues another playback of a donation's alert, which looks like the one before. `busy`: the alert waits or plays. `void`: the donation is void. */
export function replay(
  { knex, speech }: QueueStepDeps,
  streamerId: string,
  donationId: string,
): Promise<Replayed | "unknown" | "busy" | "void"> {
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    const donation = await findDonation(trx, overlay, donationId);
    if (!donation) return "unknown";
    if (donation.is_void) return "void";
    if (donation.status !== null && ["held", "preparing", "queued", "leased", "playing"].includes(donation.status)) return "busy";
    const status = firstState(overlay.settings, speech);
    const { sequence, masked, was_played: wasPlayed } = donation;
    const content = fromDonationRow(donation);
    const variation = wasPlayed
      ? donation.variation && completeVariation(donation.variation)
      : chooseVariation(overlay.settings.variations, { ...content, channel: donation.channel });
    const again = { donationId, sequence, replay: true, waitsSince: overlay.now, variation, masked };
    const [playbackId] = await addPlaybacks(trx, streamerId, status, [again]);
    await changeOverlay(trx, overlay, {});
    await recordAudit(trx, { streamerId, action: "alert.replayed", target: donationId });
    return { ...content, playbackId: playbackId as string, status, masked };
  });
}

type FoundDonation = DonationRow & {
  channel: Channel;
  sequence: number;
  status: string | null;
  is_void: boolean;
  was_played: boolean;
  /** As it is stored with its latest playback. */
  variation: NewVariation | null;
  masked: boolean;
};

async function findDonation(trx: Knex, { streamerId }: Overlay, donationId: string): Promise<FoundDonation | null> {
  const { rows } = await trx.raw<{ rows: FoundDonation[] }>(
    `select ${donationColumns}, d.channel, d.sequence, a.status, d.voided_at is not null as is_void,
       p.id is not null as was_played, p.variation, coalesce(p.masked, false) as masked
     from donations d
     left join alerts a on a.streamer_id = :streamerId and a.donation_id = d.id
     left join lateral (
       select p.id, p.variation, p.masked from playbacks p where p.streamer_id = :streamerId and p.donation_id = d.id
       order by p.number desc limit 1) p on true
     where d.streamer_id = :streamerId and d.id = :donationId`,
    { streamerId, donationId },
  );
  return rows[0] ?? null;
}
