// Limits how many API keys a streamer may have, because each key has its own rate-limit buckets and a row that is never deleted.

import type { Knex } from "knex";

const maxLive = 100;
const maxCreatedPerHour = 60;

/** No further key may be created now. The message names the limit and may be shown to the streamer. */
export class TooManyKeys extends Error {}

/** Throws TooManyKeys. Locks the streamer's quota until the transaction ends, so that keys created at the same time are counted too. */
export async function requireKeyQuota(transaction: Knex.Transaction, streamerId: string): Promise<void> {
  // An advisory lock and not a lock of the streamer's row, because recording donations waits for that row.
  await transaction.raw("select pg_advisory_xact_lock(hashtextextended('api keys ' || ?, 0))", [streamerId]);
  const { rows } = await transaction.raw<{ rows: [{ live: number; created: number }] }>(
    `select count(*) filter (where revoked_at is null and coalesce(expires_at > now(), true)) as live,
       count(*) filter (where created_at > now() - interval '1 hour') as created
     from api_keys where streamer_id = ?`,
    [streamerId],
  );
  const [{ live, created }] = rows;
  if (live >= maxLive) throw new TooManyKeys(`a streamer can have at most ${maxLive} API keys that work; revoke one first`);
  if (created >= maxCreatedPerHour)
    throw new TooManyKeys(`a streamer can create at most ${maxCreatedPerHour} API keys per hour; try again later`);
}
