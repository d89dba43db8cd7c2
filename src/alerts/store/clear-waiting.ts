// Clears the queue in batches: a streamer may have hundreds of thousands of waiting alerts, and each one that is skipped is an event.

import type { Knex } from "knex";
import { recordAudit } from "../../audit/audit-log.ts";
import { dropHeld, heldIds } from "./approval/held-alerts.ts";
import { changeOverlay, type Overlay, withOverlay } from "./overlay.ts";
import { type QueueEnd, skipWaiting } from "./playbacks.ts";

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
