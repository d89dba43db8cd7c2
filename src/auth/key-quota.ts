// How many API keys a streamer may have: each has buckets of its own, and a row for ever.

import type { Knex } from "knex";

/** Keys that are good at a time, and keys made in an hour. */
const maxLive = 100;
const maxMadePerHour = 60;

/** No further key may be made now; the message says why, for whoever asks. */
export class TooManyKeys extends Error {}

/** Throws TooManyKeys. Holds the streamer's quota to the end of the transaction, so that keys made at once count as well. */
export async function requireRoomForKey(transaction: Knex.Transaction, streamerId: string): Promise<void> {
  // Not the streamer's row: donations wait for that.
  await transaction.raw("select pg_advisory_xact_lock(hashtextextended('api keys ' || ?, 0))", [streamerId]);
  const { rows } = await transaction.raw<{ rows: [{ live: number; made: number }] }>(
    `select count(*) filter (where revoked_at is null and coalesce(expires_at > now(), true)) as live,
       count(*) filter (where created_at > now() - interval '1 hour') as made
     from api_keys where streamer_id = ?`,
    [streamerId],
  );
  const [{ live, made }] = rows;
  if (live >= maxLive) throw new TooManyKeys(`a streamer has at most ${maxLive} API keys that are good; revoke one first`);
  if (made >= maxMadePerHour) throw new TooManyKeys(`at most ${maxMadePerHour} API keys of a streamer are made in an hour; wait a while`);
}
