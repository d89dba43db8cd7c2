// Alerts that are held until they are approved or denied, by hand or by a time-out. Every change holds the lock of the overlay, so that
// an alert has one decision, whoever is first.

import type { Knex } from "knex";
import { actAs } from "../../../audit/actor.ts";
import { recordAudits } from "../../../audit/audit-log.ts";
import { chooseVariation, type VariedDonation } from "../../queue/variation.ts";
import type { Settings } from "../../settings/settings.ts";
import { type DonationContent, type DonationRow, donationColumns, fromDonationRow } from "../donated.ts";
import type { Overlay } from "../overlay.ts";
import { addPlaybacks, type Reason } from "../playbacks.ts";

export type ToHold = Pick<DonationContent, "donationId"> & { sequence: number };

/** Alerts of one streamer that one statement decides. */
const dueBatch = 200;

/** Holds waiting alerts from now on. */
export async function holdAlerts(trx: Knex, { streamerId, settings, now }: Overlay, alerts: readonly ToHold[]): Promise<void> {
  if (alerts.length === 0) return;
  const ids = alerts.map(({ donationId }) => donationId);
  await trx.raw(
    `insert into held_alerts (streamer_id, donation_id, sequence, held_at, decide_at)
     select ?::uuid, h.donation_id, h.sequence, from_millis(?), from_millis(?) from unnest(?::uuid[], ?::bigint[]) as h(donation_id, sequence)
     on conflict do nothing`,
    [streamerId, now, now + settings.approvalSeconds * 1000, ids, alerts.map(({ sequence }) => sequence)],
  );
  await trx.raw("update alerts set status = 'held', reason = null where streamer_id = ? and donation_id = any(?::uuid[])", [
    streamerId,
    ids,
  ]);
}

export type Release = { masked: boolean; state: "preparing" | "queued" };

/** Lets held alerts play, at their place in the queue. Resolves to those that there were. */
export async function releaseHeld(trx: Knex, overlay: Overlay, donationIds: readonly string[], release: Release): Promise<Held[]> {
  const taken = await takeHeld(trx, overlay, donationIds);
  const { state, masked } = release;
  const { variations } = overlay.settings;
  const playbacks = taken.map((alert) => {
    const variation = chooseVariation(variations, alert);
    return { ...alert, replay: false, waitsSince: overlay.now, approved: true, masked, variation };
  });
  if (playbacks.length > 0) await addPlaybacks(trx, overlay.streamerId, state, playbacks);
  return taken;
}

/** Ends held alerts. Resolves to those that there were. */
export async function dropHeld(trx: Knex, overlay: Overlay, donationIds: readonly string[], reason: Reason): Promise<Held[]> {
  const taken = await takeHeld(trx, overlay, donationIds);
  if (taken.length > 0)
    await trx.raw("update alerts set status = 'skipped', reason = ? where streamer_id = ? and donation_id = any(?::uuid[])", [
      reason,
      overlay.streamerId,
      taken.map(({ donationId }) => donationId),
    ]);
  return taken;
}

/** Ids of up to `limit` held alerts of the streamer whose sequence is at most `upTo`. */
export async function heldIds(trx: Knex, streamerId: string, { upTo, limit }: { upTo: number; limit: number }): Promise<string[]> {
  return trx("held_alerts")
    .where("streamer_id", streamerId)
    .where("sequence", "<=", upTo)
    .orderBy("donation_id")
    .limit(limit)
    .pluck("donation_id");
}

/** Finds those of these donations whose alerts are held. */
export async function findHeld(knex: Knex, streamerId: string, donationIds: readonly string[]): Promise<Set<string>> {
  if (donationIds.length === 0) return new Set();
  return new Set(await knex("held_alerts").where("streamer_id", streamerId).whereIn("donation_id", donationIds).pluck("donation_id"));
}

/** An alert that a time-out decided about. `seconds`: how long it was held at most. */
export type TimedOut = Readonly<{ donationId: string; seconds: number; decision: Settings["onTimeout"] }>;

/**
 * Decides by the streamer's setting about what is held for too long, by the database's clock. Resolves to what was decided about, for
 * recordTimedOut.
 */
export async function settleDue(trx: Knex, overlay: Overlay, state: Release["state"]): Promise<readonly TimedOut[]> {
  const due: string[] = await trx("held_alerts")
    .where("streamer_id", overlay.streamerId)
    .whereRaw("decide_at <= from_millis(?)", [overlay.now])
    .orderBy("sequence")
    .limit(dueBatch)
    .pluck("donation_id");
  if (due.length === 0) return [];
  const { onTimeout: decision } = overlay.settings;
  const taken =
    decision === "drop"
      ? await dropHeld(trx, overlay, due, "timed_out")
      : await releaseHeld(trx, overlay, due, { state, masked: decision === "mask" });
  return taken.map(({ donationId, seconds }) => ({ donationId, seconds, decision }));
}

/** Notes in the audit log that nobody decided in time. Call it last, as recordAudit. */
export function recordTimedOut(trx: Knex, { streamerId }: Overlay, timedOut: readonly TimedOut[]): Promise<void> {
  const lines = timedOut.map(({ donationId: target, seconds, decision }) => {
    return { streamerId, action: "alert.timed_out", target, details: { decision, seconds } } as const;
  });
  return actAs({ kind: "server" }, () => recordAudits(trx, lines));
}

/** The state of a playback that was just added: its speech is made first, where alerts are read aloud. */
export function firstState({ speech }: Settings, hasSpeech: boolean): Release["state"] {
  return hasSpeech && speech ? "preparing" : "queued";
}

/** `seconds`: from when it was held until its time-out. */
type HeldColumns = Pick<VariedDonation, "channel"> & { sequence: number; seconds: number };
export type Held = DonationContent & HeldColumns;

async function takeHeld(trx: Knex, { streamerId }: Overlay, donationIds: readonly string[]): Promise<Held[]> {
  const { rows } = await trx.raw<{ rows: (DonationRow & HeldColumns)[] }>(
    `delete from held_alerts h using donations d
     where h.streamer_id = ? and h.donation_id = any(?::uuid[]) and d.streamer_id = h.streamer_id and d.id = h.donation_id
     returning h.sequence, extract(epoch from h.decide_at - h.held_at)::integer as seconds, d.channel, ${donationColumns}`,
    [streamerId, donationIds],
  );
  return rows
    .map((row) => ({ ...fromDonationRow(row), channel: row.channel, sequence: row.sequence, seconds: row.seconds }))
    .sort((a, b) => a.sequence - b.sequence);
}
