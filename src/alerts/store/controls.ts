// The streamer's controls of the queue.

import { isDeepStrictEqual } from "node:util";
import type { Knex } from "knex";
import { recordAudit } from "../../audit/audit-log.ts";
import { chooseVariation, findMissingFile, type VariedDonation } from "../queue/variation.ts";
import { changeSettings, type Settings, type SettingsChange, type Variation, withoutDefaults } from "../settings/settings.ts";
import { firstState } from "./approval/held-alerts.ts";
import { type DonationContent, type DonationRow, donationColumns, fromDonationRow } from "./donated.ts";
import { endUnheld } from "./end-alerts.ts";
import { takeEarly } from "./intake.ts";
import { changeOverlay, type Overlay, withOverlay } from "./overlay.ts";
import { addPlaybacks, finishPlayback, prepareAgain, putFirst, readActive } from "./playbacks.ts";

export function setPaused(knex: Knex, streamerId: string, paused: boolean): Promise<void> {
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    if (overlay.paused === paused && !overlay.asking) return;
    await changeOverlay(trx, overlay, { paused, asking: false });
    await recordAudit(trx, { streamerId, action: paused ? "alerts.paused" : "alerts.resumed" });
  });
}

/** Hides everything and ends the active playback, or ends hiding. */
export function setHidden(knex: Knex, streamerId: string, hidden: boolean): Promise<void> {
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    if (overlay.hidden === hidden) return;
    const current = hidden ? await readActive(trx, streamerId) : null;
    if (current) await finishPlayback(trx, { streamerId, id: current.id }, { state: "skipped", reason: "control", now: overlay.now });
    await changeOverlay(trx, overlay, { hidden });
    await recordAudit(trx, { streamerId, action: hidden ? "alerts.hidden" : "alerts.unhidden" });
  });
}

/** Ends the active playback. Resolves to false if there is none. */
export function skipPlaying(knex: Knex, streamerId: string): Promise<boolean> {
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    const current = await readActive(trx, streamerId);
    if (!current) return false;
    await finishPlayback(trx, { streamerId, id: current.id }, { state: "skipped", reason: "control", now: overlay.now });
    await changeOverlay(trx, overlay, {});
    await recordAudit(trx, { streamerId, action: "alert.skipped", target: current.donationId });
    return true;
  });
}

/** Skips the alert of a donation that waits or plays; once more has no effect. `conflict`: it neither waits nor plays. */
export function skipOne(knex: Knex, streamerId: string, donationId: string): Promise<"done" | "unknown" | "conflict"> {
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    const alert = await findAlert(trx, streamerId, donationId);
    if (!alert) return "unknown";
    if (alert.status === "skipped" && alert.reason === "control") return "done";
    if (!(await endUnheld(trx, overlay, { donationIds: [donationId], reason: "control" }))) return "conflict";
    await changeOverlay(trx, overlay, {});
    await recordAudit(trx, { streamerId, action: "alert.skipped", target: donationId });
    return "done";
  });
}

/** Puts the alert of a donation before all others that wait. `conflict`: it does not wait, or it would not play. */
export function putNext(
  knex: Knex,
  streamerId: string,
  donationId: string,
  rules: EarlyIntakeRules,
): Promise<"done" | "unknown" | "conflict"> {
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    if (!(await findAlert(trx, streamerId, donationId))) return "unknown";
    const state = firstState(overlay.settings, rules.hasSpeech);
    const put = () => putFirst(trx, streamerId, donationId);
    let outcome = await put();
    if (outcome === "none" && (await takeEarly(trx, overlay, { donationId, state, absence: rules.absenceLimitMs }))) outcome = await put();
    if (outcome === "none") return "conflict";
    if (outcome === "moved") {
      await changeOverlay(trx, overlay, {});
      await recordAudit(trx, { streamerId, action: "alert.put_next", target: donationId });
    }
    return "done";
  });
}

export type EarlyIntakeRules = { hasSpeech: boolean; absenceLimitMs: number };

/** What the donation's record says of its alert; null for an unknown donation. */
async function findAlert(
  trx: Knex,
  streamerId: string,
  donationId: string,
): Promise<{ status: string | null; reason: string | null } | null> {
  const { rows } = await trx.raw<{ rows: { status: string | null; reason: string | null }[] }>(
    `select a.status, a.reason from donations d left join alerts a on a.streamer_id = d.streamer_id and a.donation_id = d.id
     where d.streamer_id = ? and d.id = ?`,
    [streamerId, donationId],
  );
  return rows[0] ?? null;
}

export type Replayed = DonationContent & { playbackId: string; status: "preparing" | "queued"; masked: boolean };

/** Queues another playback of a donation's alert, which looks like the one before. `busy`: the alert waits or plays. `void`: the donation is void. */
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
    if (donation.status !== null && ["held", "preparing", "queued", "leased", "playing"].includes(donation.status)) return "busy";
    const status = firstState(overlay.settings, hasSpeech);
    const { sequence, masked, was_played: wasPlayed } = donation;
    const content = fromDonationRow(donation);
    const variation = wasPlayed
      ? donation.variation
      : chooseVariation(overlay.settings.variations, { ...content, channel: donation.channel });
    const again = { donationId, sequence, replay: true, waitsSince: overlay.now, variation, masked };
    const [playbackId] = await addPlaybacks(trx, streamerId, status, [again]);
    await changeOverlay(trx, overlay, {});
    await recordAudit(trx, { streamerId, action: "alert.replayed", target: donationId });
    return { ...content, playbackId: playbackId as string, status, masked };
  });
}

/** Resolves to the settings, or to which file a variation names that the streamer has not: nothing is changed then. */
export function saveSettings(knex: Knex, streamerId: string, change: SettingsChange): Promise<Settings | { unknownFile: string }> {
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    const settings = changeSettings(overlay.settings, change);
    const unknownFile = change.variations ? await findMissingFile(trx, streamerId, settings.variations) : null;
    if (unknownFile !== null) return { unknownFile };
    if (!isDeepStrictEqual(textRules(settings), textRules(overlay.settings))) await prepareAgain(trx, streamerId);
    await changeOverlay(trx, overlay, { storedSettings: withoutDefaults(settings), examinedSequence: 0 });
    const members = Object.keys(change).filter((name) => change[name as keyof SettingsChange] !== undefined);
    await recordAudit(trx, { streamerId, action: "alert_settings.changed", details: { members } });
    return settings;
  });
}

/** The settings that decide which words of an alert are shown and said. */
function textRules({ blockedWords, blockedWordAction }: Settings) {
  return { blockedWords, blockedWordAction };
}

type FoundDonation = DonationRow &
  Pick<VariedDonation, "channel"> & {
    sequence: number;
    status: string | null;
    is_void: boolean;
    was_played: boolean;
    /** Of its latest playback. */
    variation: Variation | null;
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
