// What a streamer does to the queue by hand.

import type { Knex } from "knex";
import { changeSettings, keptSettings, type Settings, type SettingsChange } from "../settings.ts";
import { type Donated, type DonatedRow, donated, fromDonated } from "./donated.ts";
import { changeOverlay, type Overlay, onOverlay } from "./overlay.ts";
import { addPlaybacks, finish, inHandOf, skipWaiting } from "./playbacks.ts";

export function setPaused(knex: Knex, streamerId: string, paused: boolean): Promise<void> {
  return onOverlay(knex, streamerId, async (trx, overlay) => {
    if (overlay.paused !== paused) await changeOverlay(trx, overlay, { paused });
  });
}

/** Ends what plays. False: nothing does. */
export function skipPlaying(knex: Knex, streamerId: string): Promise<boolean> {
  return onOverlay(knex, streamerId, async (trx, overlay) => {
    const current = await inHandOf(trx, streamerId);
    if (!current) return false;
    await finish(trx, current.id, { state: "skipped", reason: "control", now: overlay.now });
    await changeOverlay(trx, overlay, {});
    return true;
  });
}

/** Skips everything that waits, playbacks and alerts that are not taken in yet. */
export function clearWaiting(knex: Knex, streamerId: string): Promise<void> {
  return onOverlay(knex, streamerId, async (trx, overlay) => {
    await skipWaiting(trx, streamerId, overlay.now);
    await trx.raw(
      `update alerts set status = 'skipped', reason = 'control'
       where streamer_id = ? and status = 'queued' and sequence > ? and sequence <= ?`,
      [streamerId, overlay.takenSequence, overlay.lastSequence],
    );
    await changeOverlay(trx, overlay, { takenSequence: Math.max(overlay.takenSequence, overlay.lastSequence) });
  });
}

export type Replayed = Donated & { playbackId: string; status: "preparing" | "queued" };

/** Queues a donation's alert once more. `busy`: it waits or plays. */
export function replay(knex: Knex, streamerId: string, donationId: string, speaks: boolean): Promise<Replayed | "unknown" | "busy"> {
  return onOverlay(knex, streamerId, async (trx, overlay) => {
    const donation = await findDonation(trx, overlay, donationId);
    if (!donation) return "unknown";
    if (donation.status !== null && ["preparing", "queued", "leased", "playing"].includes(donation.status)) return "busy";
    const status = speaks && overlay.settings.speech ? "preparing" : "queued";
    const { sequence } = donation;
    const [playbackId] = await addPlaybacks(trx, streamerId, status, [{ donationId, sequence, replay: true, waitsSince: overlay.now }]);
    await changeOverlay(trx, overlay, {});
    return { ...fromDonated(donation), playbackId: playbackId as string, status };
  });
}

export function saveSettings(knex: Knex, streamerId: string, change: SettingsChange): Promise<Settings> {
  return onOverlay(knex, streamerId, async (trx, overlay) => {
    const settings = changeSettings(overlay.settings, change);
    await changeOverlay(trx, overlay, { kept: keptSettings(settings) });
    return settings;
  });
}

type Found = DonatedRow & { sequence: number; status: string | null };

async function findDonation(trx: Knex, { streamerId }: Overlay, donationId: string): Promise<Found | null> {
  const { rows } = await trx.raw<{ rows: Found[] }>(
    `select ${donated}, d.sequence, a.status from donations d
     left join alerts a on a.streamer_id = d.streamer_id and a.donation_id = d.id
     where d.streamer_id = ? and d.id = ?`,
    [streamerId, donationId],
  );
  return rows[0] ?? null;
}
