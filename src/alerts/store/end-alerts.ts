// Ends the alerts of donations, such as those that were voided: one that waits is not played, one that plays is stopped.

import type { Knex } from "knex";
import { dropHeld } from "./approval/held-alerts.ts";
import { changeOverlay, lockOverlay, type Overlay } from "./overlay.ts";
import { type EndOfDonations, skipOpenOf } from "./playbacks.ts";

/** In the caller's transaction, which holds the lock of the streamer's overlay afterwards: no alert is taken in or handed out meanwhile. */
export async function endAlerts(transaction: Knex.Transaction, streamerId: string, donationIds: readonly string[]): Promise<void> {
  const overlay = await lockOverlay(transaction, streamerId);
  await endUnheld(transaction, overlay, { donationIds, reason: "voided" });
  await dropHeld(transaction, overlay, donationIds, "voided");
  await changeOverlay(transaction, overlay, {});
}

/** Skips the alerts of these donations that wait or play. Resolves to false if there was none. */
export async function endUnheld(trx: Knex, { streamerId, now }: Overlay, end: Omit<EndOfDonations, "now">): Promise<boolean> {
  const hadPlayback = await skipOpenOf(trx, streamerId, { ...end, now });
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `update alerts set status = 'skipped', reason = ? where streamer_id = ? and donation_id = any(?::uuid[]) and status = 'queued'`,
    [end.reason, streamerId, end.donationIds],
  );
  return hadPlayback || rowCount > 0;
}
