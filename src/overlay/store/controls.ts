// The streamer's controls of the queue.

import type { Knex } from "knex";
import { changeSettings, type Settings, type SettingsChange, withoutDefaults } from "../settings.ts";
import { type DonationContent, type DonationRow, donationColumns, fromDonationRow } from "./donated.ts";
import { changeOverlay, type Overlay, withOverlay } from "./overlay.ts";
import { addPlaybacks, finishPlayback, readActive, skipWaiting } from "./playbacks.ts";

export function setPaused(knex: Knex, streamerId: string, paused: boolean): Promise<void> {
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    if (overlay.paused !== paused) await changeOverlay(trx, overlay, { paused });
  });
}

/** Ends the active playback. Resolves to false if there is none. */
export function skipPlaying(knex: Knex, streamerId: string): Promise<boolean> {
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    const current = await readActive(trx, streamerId);
    if (!current) return false;
    await finishPlayback(trx, current.id, { state: "skipped", reason: "control", now: overlay.now });
    await changeOverlay(trx, overlay, {});
    return true;
  });
}

/** Skips all waiting playbacks, and alerts that have no playback yet. */
export function clearWaiting(knex: Knex, streamerId: string): Promise<void> {
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    await skipWaiting(trx, streamerId, overlay.now);
    await trx.raw(
      `update alerts set status = 'skipped', reason = 'control'
       where streamer_id = ? and status = 'queued' and sequence > ? and sequence <= ?`,
      [streamerId, overlay.takenSequence, overlay.lastSequence],
    );
    await changeOverlay(trx, overlay, { takenSequence: Math.max(overlay.takenSequence, overlay.lastSequence) });
  });
}

export type Replayed = DonationContent & { playbackId: string; status: "preparing" | "queued" };

/** Queues another playback of a donation's alert. `busy`: the alert waits or plays. `void`: the donation is void. */
export function replay(
  knex: Knex,
  streamerId: string,
  donationId: string,
  hasSpeech: boolean,
): Promise<Replayed | "unknown" | "busy" | "void"> {
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    const donation = await findDonation(trx, overlay, donationId);
    if (!donation) return "unknown";
    if (donation.is_void) return "void";
    if (donation.status !== null && ["preparing", "queued", "leased", "playing"].includes(donation.status)) return "busy";
    const status = hasSpeech && overlay.settings.speech ? "preparing" : "queued";
    const { sequence } = donation;
    const [playbackId] = await addPlaybacks(trx, streamerId, status, [{ donationId, sequence, replay: true, waitsSince: overlay.now }]);
    await changeOverlay(trx, overlay, {});
    return { ...fromDonationRow(donation), playbackId: playbackId as string, status };
  });
}

export function saveSettings(knex: Knex, streamerId: string, change: SettingsChange): Promise<Settings> {
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    const settings = changeSettings(overlay.settings, change);
    await changeOverlay(trx, overlay, { storedSettings: withoutDefaults(settings) });
    return settings;
  });
}

type FoundDonation = DonationRow & { sequence: number; status: string | null; is_void: boolean };

async function findDonation(trx: Knex, { streamerId }: Overlay, donationId: string): Promise<FoundDonation | null> {
  const { rows } = await trx.raw<{ rows: FoundDonation[] }>(
    `select ${donationColumns}, d.sequence, a.status, d.voided_at is not null as is_void from donations d
     left join alerts a on a.streamer_id = d.streamer_id and a.donation_id = d.id
     where d.streamer_id = ? and d.id = ?`,
    [streamerId, donationId],
  );
  return rows[0] ?? null;
}
