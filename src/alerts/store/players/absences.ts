// The periods in which a streamer had no connected player: only these count towards the expiry of an alert.

import type { Knex } from "knex";
import type { Overlay } from "../overlay.ts";
import { openStates } from "../playbacks.ts";

/**
 * Shorter absences are not counted. An alert expires after ten minutes of absences, so a streamer with a waiting alert has 600 rows or so at
 * most, however often pages connect; every sweep adds them up.
 */
const shortestAbsenceMs = 1_000;

/** Records the absence that ends because a player has come, and deletes absences that are older than every waiting alert. */
export async function endAbsence(trx: Knex, { streamerId, lease, now }: Overlay): Promise<void> {
  if (lease.until !== null && now - lease.until < shortestAbsenceMs) return;
  await trx.raw(
    `insert into overlay_absences (streamer_id, gone_at, back_at)
     values (?, ${lease.until === null ? "'-infinity'" : "from_millis(?)"}, from_millis(?)) on conflict do nothing`,
    [streamerId, ...(lease.until === null ? [] : [lease.until]), now],
  );
  await trx.raw(
    `delete from overlay_absences where streamer_id = ? and back_at < least(
       from_millis(?),
       (select min(waits_since) from playbacks where streamer_id = ? and state in ${openStates}),
       (select a.received_at from alerts a where a.streamer_id = ? and a.status = 'queued' order by a.sequence limit 1))`,
    [streamerId, now, streamerId, streamerId],
  );
}
