// Makes the blocks of the search index, after the donations and apart from them. A search is right with any part of them missing.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { describeFailure } from "../db/failures.ts";
import { gramsOf, type Searched } from "./search-text.ts";

export type SearchIndexer = { stop: () => Promise<void> };

type Row = Searched & { sequence: number; createdAt: number };

/** Donations of one block. */
export const blockSize = 256;

/** Time until the next look for streamers with enough new donations, when there were none. */
const roundMs = 2_000;

/** Recording comes first: after each step the indexer pauses this many times as long as the step took. */
const restFactor = 4;

/** Indexes whatever any process records, for as long as it is not stopped. Several processes may do so at once. */
export function startSearchIndexer(knex: Knex, log: Logger): SearchIndexer {
  let stopped = false;
  let wake = (): void => {};
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, stopped ? 0 : ms).unref();
      wake = () => resolve(clearTimeout(timer));
    });
  const rested = async <T>(step: () => Promise<T>): Promise<T> => {
    const start = performance.now();
    const done = await step();
    await pause((performance.now() - start) * restFactor);
    return done;
  };
  /** One block for each streamer that has enough for one: nobody waits until another's long history is done. */
  const round = async () => {
    const behind = await rested(() => streamersBehind(knex));
    let made = false;
    for (const streamerId of behind) if (!stopped) made = (await rested(() => indexNextBlock(knex, streamerId))) || made;
    if (!made) await pause(roundMs);
  };
  const run = async () => {
    while (!stopped)
      await round().catch(async (error: unknown) => {
        log.warn({ error: describeFailure(error) }, "the search index could not be continued");
        await pause(roundMs);
      });
  };
  const running = run();
  return {
    stop: () => {
      stopped = true;
      wake();
      return running;
    },
  };
}

/** Indexes everything there is, without rest. */
export async function indexAll(knex: Knex): Promise<void> {
  for (const streamerId of await streamersBehind(knex)) while (await indexNextBlock(knex, streamerId));
}

/** Makes all blocks anew. */
export async function rebuildSearchIndex(knex: Knex): Promise<void> {
  await knex.raw("truncate donation_search_blocks");
  await indexAll(knex);
}

/**
 * Makes the streamer's next block; false when there are too few donations for one, or another process is at it.
 * The sequence rises in commit order: what is not visible now comes after what is.
 */
export async function indexNextBlock(knex: Knex, streamerId: string, size = blockSize): Promise<boolean> {
  return knex.transaction(async (transaction) => {
    const alone = await transaction.raw("select pg_try_advisory_xact_lock(hashtextextended(?, 0)) as got", [`search ${streamerId}`]);
    if (!alone.rows[0].got) return false;
    const rows = await unindexed(transaction, streamerId, size);
    if (rows.length < size) return false;
    await insertBlock(transaction, streamerId, rows);
    return true;
  });
}

/** Gaps in the sequence make this a guess: whoever is not named has too few donations for a block. */
async function streamersBehind(knex: Knex): Promise<string[]> {
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    `select id from streamers s where last_sequence >= ${blockSize} + coalesce(
       (select max(last_sequence) from donation_search_blocks b where b.streamer_id = s.id), 0)`,
  );
  return rows.map(({ id }) => id);
}

async function unindexed(knex: Knex, streamerId: string, count: number): Promise<Row[]> {
  const { rows } = await knex.raw<{ rows: Row[] }>(
    `select donator_name as "donatorName", message, identifier, sequence, to_millis(created_at) as "createdAt" from donations
     where streamer_id = ? and sequence > coalesce(
       (select max(last_sequence) from donation_search_blocks where streamer_id = ?), 0)
     order by sequence limit ?`,
    [streamerId, streamerId, count],
  );
  return rows;
}

async function insertBlock(knex: Knex, streamerId: string, rows: readonly Row[]): Promise<void> {
  const times = rows.map(({ createdAt }) => createdAt);
  await knex.raw(
    `insert into donation_search_blocks (streamer_id, first_sequence, last_sequence, oldest, newest, grams)
     values (?, ?, ?, from_millis(?), from_millis(?), ?)`,
    [streamerId, rows[0]?.sequence, rows.at(-1)?.sequence, Math.min(...times), Math.max(...times), gramsOf(streamerId, rows)] as never,
  );
}
