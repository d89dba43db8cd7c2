// Settles a batch whose connection was lost. Its statement may have committed, may be under way, or may still wait in a connection pooler,
// where it has neither a server process that could be ended nor a transaction id whose status could be asked for.
//
// The recording statement reads the streamers' rows under their locks, and records nothing when its batch is fenced there. So a fence waits
// for a statement under way, and keeps out one that arrives later. It is written to the log after the batch: where commits wait for a
// standby, a batch that is found behind its fence has reached the standby as well.

import type { Knex } from "knex";
import { isDistributed } from "../../db/citus/distributed.ts";
import type { NewDonation } from "../donation.ts";

/** A batch is named by its first donation, which no other batch under way has. */
const fence = `update streamers s
  set fenced_batches = array(select batch from unnest(s.fenced_batches) as batch where batch > :oldest::uuid and batch <> :batch::uuid)
    || :batch::uuid`;
const sql = `
  with locked as materialized (select id from streamers where id = any(:streamers::uuid[]) order by id for update)
  ${fence} from locked l where s.id = l.id`;
/** Where the database is distributed, a batch has one streamer. */
const sqlOfOne = `${fence} where s.id = (:streamers::uuid[])[1]`;

/** No statement waits so long in a pooler or a server. Fences before that are forgotten, so that the streamers' rows stay short. */
const keptMs = 600_000;

/**
 * From its return on, the batch is recorded or never will be. Waits for a statement of the batch that is under way, no longer than the pool's
 * lock time-out; then it rejects, as it does when the database can't be reached, and may be called again.
 */
export async function fenceBatch(pool: Knex, donations: readonly NewDonation[]): Promise<void> {
  const streamers = [...new Set(donations.map(({ streamerId }) => streamerId))];
  const batch = donations[0]?.id ?? null;
  await pool.raw(isDistributed(pool) ? sqlOfOne : sql, { streamers, batch, oldest: firstIdOf(Date.now() - keptMs) });
}

/** The smallest id (UUID version 7) that can be made at this time. */
function firstIdOf(time: number): string {
  const hex = time.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
