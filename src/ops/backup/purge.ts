// Removes what erasures left in the files of the database. PostgreSQL keeps old versions of rows until vacuum comes by, the bytes in the free
// space of a page after that, samples of columns for its planner, and the write-ahead log until it is recycled. Only tables that are written
// anew, and a log that is removed and not recycled, have none of it.

import type { Knex } from "knex";
import { onEachServer } from "../../db/citus/layout.ts";
import type { Database } from "../../db/database.ts";

/** Tables that held what donators wrote, or hashes of it. */
const tables = [
  "donations",
  "donator_notes",
  "report_donators",
  "donation_search_blocks",
  "playbacks",
  "speech_audio",
  "webhook_deliveries",
] as const;

/** What was done. `walRemoved` is a text when the server did not allow it: why not, and what to do. */
export type Purged = Readonly<{ tables: readonly string[]; statistics: true | string; walRemoved: true | string }>;

/** Locks one table after the other: the time grows with their size, and no donation is recorded meanwhile. */
export async function purge(database: Database): Promise<Purged> {
  const knex = database.pool({ max: 1, applicationName: "donations purge", statementTimeoutMs: 0 });
  try {
    for (const table of tables) await knex.raw(`vacuum (full, analyze) ${table}`);
    return { tables, statistics: await purgeStatistics(knex), walRemoved: await removeWal(knex) };
  } finally {
    await knex.destroy();
  }
}

/** The planner's statistics held samples of names, messages and keys. `analyze` replaced them; their old versions go with this. */
async function purgeStatistics(knex: Knex): Promise<true | string> {
  return attempt(
    () => onEachServer(knex, "vacuum (full) pg_catalog.pg_statistic"),
    "as its owner, run: vacuum full pg_catalog.pg_statistic",
  );
}

/** With wal_recycle off (the embedded server's setting), segments before the last checkpoint are removed. */
async function removeWal(knex: Knex): Promise<true | string> {
  const advice =
    "as a superuser, set wal_recycle = off and run twice: select pg_switch_wal(); checkpoint; archives of the log are yours to delete";
  return attempt(async () => {
    for (const _ of [1, 2]) {
      await onEachServer(knex, "select pg_switch_wal()");
      await onEachServer(knex, "checkpoint");
    }
    if ((await onEachServer(knex, "select current_setting('wal_recycle')")).some((recycle) => recycle !== "off"))
      throw new Error("wal_recycle is on, so that old segments are kept under new names");
  }, advice);
}

async function attempt(work: () => Promise<unknown>, advice: string): Promise<true | string> {
  try {
    await work();
    return true;
  } catch (error) {
    return `${(error as Error).message}: ${advice}`;
  }
}
