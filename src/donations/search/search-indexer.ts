// Makes the blocks of the search index, after the donations and apart from them. A search is right with any part of them missing.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { describeFailure } from "../../telemetry/describe-failure.ts";
import { gramsOf, type Searched } from "./search-text.ts";

export type SearchIndexer = { stop: () => Promise<void> };

type Row = Searched & { sequence: number; createdAt: number };

/** Donations of one block, sequences of one era, and how many blocks are made at once. */
export type Sizes = { block: number; era: number; batch: number };

const defaultSizes: Sizes = { block: 256, era: 2 ** 20, batch: 8 };

/** Time until the next look for streamers with enough new donations. */
const roundMs = 2_000;

/** Recording comes first: after each step the indexer pauses this many times as long as the step took, half of it while it is behind. */
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
    await pause((performance.now() - start) * (done === defaultSizes.batch ? restFactor / 2 : restFactor));
    return done;
  };
  /** A few blocks for each streamer in turn: nobody waits until another's long history is done. */
  const round = async () => {
    const end = performance.now() + roundMs;
    let behind = await rested(() => streamersBehind(knex));
    while (behind.length > 0 && performance.now() < end && !stopped) {
      const still: string[] = [];
      for (const streamerId of behind)
        if (!stopped && (await rested(() => indexNext(knex, streamerId))) === defaultSizes.batch) still.push(streamerId);
      behind = still;
    }
    if (behind.length === 0) await pause(Math.max(0, end - performance.now()));
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
  for (const streamerId of await streamersBehind(knex)) while ((await indexNext(knex, streamerId)) > 0);
}

/** Makes all blocks anew. */
export async function rebuildSearchIndex(knex: Knex): Promise<void> {
  await knex.raw("truncate donation_search_blocks, donation_search_eras");
  await indexAll(knex);
}

/**
 * Makes the streamer's next blocks and says how many; 0 when there are too few donations for one, or another process is at it.
 * The sequence rises in commit order: what is not visible now comes after what is.
 */
export async function indexNext(knex: Knex, streamerId: string, { block, era, batch } = defaultSizes): Promise<number> {
  return knex.transaction(async (transaction) => {
    const alone = await transaction.raw("select pg_try_advisory_xact_lock(hashtextextended(?, 0)) as got", [`search ${streamerId}`]);
    if (!alone.rows[0].got) return 0;
    const rows = await unindexed(transaction, streamerId, block * batch);
    const blocks = Math.floor(rows.length / block);
    for (let done = 0; done < blocks; done += 1)
      await insertBlock(transaction, streamerId, { rows: rows.slice(done * block, (done + 1) * block), era });
    return blocks;
  });
}

/** Gaps in the sequence make this a guess: whoever is not named has too few donations for a block. */
async function streamersBehind(knex: Knex): Promise<string[]> {
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    `select id from streamers s where last_sequence >= ${defaultSizes.block} + coalesce(
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

async function insertBlock(knex: Knex, streamerId: string, { rows, era: eraSize }: { rows: readonly Row[]; era: number }): Promise<void> {
  const times = rows.map(({ createdAt }) => createdAt);
  const [oldest, newest] = [Math.min(...times), Math.max(...times)];
  const [first, last] = [rows[0]?.sequence as number, rows.at(-1)?.sequence as number];
  const era = Math.floor(last / eraSize);
  await knex.raw(
    `with era as (
       insert into donation_search_eras as e (streamer_id, era, oldest, newest) values (:streamerId, :era, from_millis(:oldest), from_millis(:newest))
       on conflict (streamer_id, era) do update set oldest = least(e.oldest, excluded.oldest), newest = greatest(e.newest, excluded.newest)
     )
     insert into donation_search_blocks (streamer_id, first_sequence, last_sequence, oldest, newest, era, grams)
     values (:streamerId, :first, :last, from_millis(:oldest), from_millis(:newest), :era, :grams)`,
    { streamerId, era, oldest, newest, first, last, grams: gramsOf(streamerId, era, rows) } as never,
  );
}
