// The streamer's controls of the queue.

import { isDeepStrictEqual } from "node:util";
import type { Knex } from "knex";
import { recordAudit } from "../../audit/audit-log.ts";
import { changeSettings, type Settings, type SettingsChange, type Variation, withoutDefaults } from "../settings/settings.ts";
import { dropHeld, heldIds } from "./approval.ts";
import { finishPlayback } from "./end.ts";
import { takeEarly } from "./intake.ts";
import { changeOverlay, type Overlay, withOverlay } from "./overlay.ts";
import { endUnheld, type Part, readActive, updatePlaybacks, waitingStates } from "./playbacks.ts";
import { firstState, prepareAgain } from "./speech.ts";
import type { QueueStepDeps } from "./step.ts";

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
  { knex, speech, times }: QueueStepDeps,
  streamerId: string,
  donationId: string,
): Promise<"done" | "unknown" | "conflict"> {
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    if (!(await findAlert(trx, streamerId, donationId))) return "unknown";
    const state = firstState(overlay.settings, speech);
    const put = () => putFirst(trx, streamerId, donationId);
    let outcome = await put();
    if (outcome === "none" && (await takeEarly(trx, overlay, { donationId, state, absence: times.absenceLimitMs }))) outcome = await put();
    if (outcome === "none") return "conflict";
    if (outcome === "moved") {
      await changeOverlay(trx, overlay, {});
      await recordAudit(trx, { streamerId, action: "alert.put_next", target: donationId });
    }
    return "done";
  });
}

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

/**
 * Resolves to the settings. Changes nothing where a variation names a file that the streamer has not, and resolves to its place, or where the
 * settings are not as expected, and resolves to null.
 */
export function saveSettings(
  knex: Knex,
  streamerId: string,
  change: SettingsChange,
  isExpected: (settings: Settings) => boolean = () => true,
): Promise<Settings | { unknownFile: string } | null> {
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    if (!isExpected(overlay.settings)) return null;
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

/** Puts the waiting playback of a donation before all others that wait. Resolves to whether it `moved`, or was the `first` one put so already; `none` waits. */
async function putFirst(trx: Knex, streamerId: string, donationId: string): Promise<"moved" | "first" | "none"> {
  const { rows } = await trx.raw<{ rows: { id: string; priority: number; highest: number }[] }>(
    `select id, priority, highest from (
       select p.id, p.donation_id, p.priority, max(p.priority) over () as highest from playbacks p
       where p.streamer_id = ? and p.state in ${waitingStates}) as waiting
     where donation_id = ?`,
    [streamerId, donationId],
  );
  const [waiting] = rows;
  if (!waiting) return "none";
  if (waiting.priority > 0 && waiting.priority === waiting.highest) return "first";
  await trx("playbacks")
    .where({ streamer_id: streamerId, id: waiting.id })
    .update({ priority: waiting.highest + 1 });
  return "moved";
}

/** Playbacks, held alerts and other alerts that one transaction skips, at most so many of each. */
const clearBatch = 500;

/**
 * Skips all waiting playbacks, held alerts, and alerts that have no playback yet. What arrives after the first batch is kept. When it fails
 * between two batches, the next call clears what is left. `inTurn` runs each batch when it is its turn.
 */
export async function clearWaiting(knex: Knex, streamerId: string, inTurn: InTurn = (batch) => batch()): Promise<void> {
  let end: QueueEnd | null = null;
  const clearBatchOf = async (trx: Knex, overlay: Overlay): Promise<boolean> => {
    const isFirst = end === null;
    end ??= { sequence: overlay.lastSequence, requestedAt: overlay.now };
    const cleared = await clearNext(trx, overlay, end);
    const isAnswered = overlay.asking && !cleared.hasMore;
    const takenSequence = Math.max(overlay.takenSequence, cleared.upTo);
    await changeOverlay(trx, overlay, { takenSequence, ...(isAnswered && { paused: false, asking: false }) });
    if (isFirst) await recordAudit(trx, { streamerId, action: "alerts.cleared" });
    return cleared.hasMore;
  };
  while (await inTurn(() => withOverlay(knex, streamerId, clearBatchOf)));
}

type InTurn = (batch: () => Promise<boolean>) => Promise<boolean>;

/** Alerts without a playback are skipped up to the sequence `upTo`. Nothing waits before `end` any more unless there is more to skip. */
async function clearNext(trx: Knex, overlay: Overlay, end: QueueEnd): Promise<{ upTo: number; hasMore: boolean }> {
  const { streamerId, takenSequence, now } = overlay;
  if ((await skipWaiting(trx, streamerId, { end, now, limit: clearBatch })) === clearBatch) return { upTo: takenSequence, hasMore: true };
  const held = await heldIds(trx, streamerId, { upTo: end.sequence, limit: clearBatch });
  const dropped = await dropHeld(trx, overlay, held, "control");
  const untaken = await skipUntaken(trx, overlay, end);
  return { upTo: untaken.upTo, hasMore: dropped.length === clearBatch || untaken.hasMore };
}

/** Skips alerts that have no playback yet, in the order of recording. */
async function skipUntaken(trx: Knex, { streamerId, takenSequence }: Overlay, end: QueueEnd): Promise<{ upTo: number; hasMore: boolean }> {
  const { rows } = await trx.raw<{ rows: { donation_id: string; sequence: number }[] }>(
    `select donation_id, sequence from alerts where streamer_id = ? and status = 'queued' and sequence > ? and sequence <= ?
     order by sequence limit ${clearBatch} for update`,
    [streamerId, takenSequence, end.sequence],
  );
  await trx.raw("update alerts set status = 'skipped', reason = 'control' where streamer_id = ? and donation_id = any(?::uuid[])", [
    streamerId,
    rows.map(({ donation_id }) => donation_id),
  ]);
  const hasMore = rows.length === clearBatch;
  return { upTo: hasMore ? (rows.at(-1)?.sequence ?? end.sequence) : end.sequence, hasMore };
}

/** The end of a queue at some time: alerts up to this sequence, and replays that were requested until this time. */
type QueueEnd = Readonly<{ sequence: number; requestedAt: number }>;

/** Skips up to `limit` waiting playbacks of a streamer that are not behind `end`. Resolves to how many there were. */
async function skipWaiting(
  trx: Knex,
  streamerId: string,
  { end, now, limit }: { end: QueueEnd; now: number; limit: number },
): Promise<number> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    `select p.id from playbacks p where p.streamer_id = :streamerId and p.state in ${waitingStates}
       and case when p.replay then p.waits_since <= from_millis(:requestedAt) else p.sequence <= :sequence end
     order by p.sequence limit :limit`,
    { streamerId, ...end, limit },
  );
  const set: Part = ["state = 'skipped', reason = 'control', ended_at = from_millis(?)", now];
  if (rows.length > 0) await updatePlaybacks(trx, streamerId, { set, where: ["p.id = any(?::uuid[])", rows.map(({ id }) => id)] });
  return rows.length;
}

/** The first member of the variations that names an image or a sound that the streamer has not, in words; null: there is none. */
async function findMissingFile(trx: Knex, streamerId: string, variations: readonly Variation[]): Promise<string | null> {
  const uses = variations.flatMap(({ image, sound }, i) => [
    { id: image, kind: "image", pointer: `/variations/${i}/image` },
    { id: sound, kind: "sound", pointer: `/variations/${i}/sound` },
  ]);
  const ids = uses.flatMap(({ id }) => id ?? []);
  if (ids.length === 0) return null;
  const found: { id: string; kind: string }[] = await trx("alert_files")
    .where("streamer_id", streamerId)
    .whereIn("id", ids)
    .select("id", "kind");
  const missing = uses.find((use) => use.id !== null && !found.some(({ id, kind }) => id === use.id && kind === use.kind));
  return missing ? `${missing.pointer} must be the id of an uploaded ${missing.kind}.` : null;
}
