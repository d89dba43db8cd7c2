// Donations whose texts must not be seen on stream, by decisions about their alerts.

import type { Knex } from "knex";
import { mayHold } from "../../settings/settings.ts";
import type { Overlay } from "../overlay.ts";

/** Finds those of the donations whose alert waits or may have to wait for an approval, was denied, was not approved in time, or was masked. */
export async function findUnseen(
  knex: Knex,
  { streamerId, settings, takenSequence, examinedSequence }: Overlay,
  donationIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (donationIds.length === 0) return new Set();
  const seenUpTo = mayHold(settings) ? Math.max(takenSequence, examinedSequence) : null;
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    `select a.donation_id as id from alerts a
     where a.streamer_id = ? and a.donation_id = any(?::uuid[]) and (a.status = 'held' or a.sequence > ?::bigint or a.reason in ('denied', 'timed_out') or exists (
       select from playbacks p where p.streamer_id = ? and p.donation_id = a.donation_id and p.masked
     ))`,
    [streamerId, donationIds, seenUpTo, streamerId],
  );
  return new Set(rows.map(({ id }) => id));
}
