// Ends the alerts of donations that were voided: one that waits is not played, one that plays is stopped.

import type { Knex } from "knex";
import { dropHeld } from "./approval/held-alerts.ts";
import { changeOverlay, lockOverlay } from "./overlay.ts";
import { skipOpenOf } from "./playbacks.ts";

/** In the caller's transaction, which holds the lock of the streamer's overlay afterwards: no alert is taken in or handed out meanwhile. */
export async function endAlerts(transaction: Knex.Transaction, streamerId: string, donationIds: readonly string[]): Promise<void> {
  const overlay = await lockOverlay(transaction, streamerId);
  await skipOpenOf(transaction, streamerId, { donationIds, now: overlay.now, reason: "voided" });
  await dropHeld(transaction, overlay, donationIds, "voided");
  await transaction.raw(
    `update alerts set status = 'skipped', reason = 'voided'
     where streamer_id = ? and donation_id = any(?::uuid[]) and status = 'queued'`,
    [streamerId, donationIds],
  );
  await changeOverlay(transaction, overlay, {});
}
