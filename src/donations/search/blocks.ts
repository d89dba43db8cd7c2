// Builds the blocks of the search index in the background, after the donations are recorded; makes them again after an erasure; verifies them.

import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { lockByName } from "../../db/advisory-lock.ts";
import { invalidateAnswers } from "../../db/answer-cache.ts";
import { describeFailure } from "../../telemetry/describe-failure.ts";
import { minScanPauseMs, scanPauseMs } from "../../telemetry/interval-task.ts";
import { gramsOf, type Searched, searchedColumns } from "./search-text.ts";

type SearchIndexer = { stop: () => Promise<void> };

type IndexedRow = Searched & { sequence: number; createdAt: number };

/** Donations in one block, sequences in one era, and blocks built in one transaction. */
export type Sizes = { block: number; era: number; batch: number };

const defaultSizes: Sizes = { block: 256, era: 2 ** 20, batch: 8 };

/**
 * Recording has priority: after each step the indexer pauses for this many times the duration of the step, and for half of that while
 * it is behind.
 */
const pauseFactor = 4;

/** Indexes new donations of all processes until it is stopped. Several processes may index at once. */
export function startSearchIndexer(knex: Knex, log: Logger): SearchIndexer {
  const stopping = new AbortController();
  const { signal } = stopping;
  const running = indexForever(knex, log, signal);
  return {
    stop: () => {
      stopping.abort();
      return running;
    },
  };
}

async function indexForever(knex: Knex, log: Logger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted)
    await indexUntilNextScan(knex, signal).catch(async (error: unknown) => {
      log.warn({ error: describeFailure(error) }, "the search index could not be continued");
      await pause(minScanPauseMs, signal);
    });
}

/**
 * Scans for streamers with enough new donations, and indexes a few blocks for each in turn, so that no streamer waits until a long history of
 * another is indexed.
 */
async function indexUntilNextScan(knex: Knex, signal: AbortSignal): Promise<void> {
  const begun = performance.now();
  let behind = await streamersBehind(knex);
  const end = begun + scanPauseMs(performance.now() - begun);
  while (behind.length > 0 && performance.now() < end && !signal.aborted) {
    const stillBehind: string[] = [];
    for (const streamerId of behind)
      if (!signal.aborted && (await withPause(() => indexNext(knex, streamerId), signal)) === defaultSizes.batch)
        stillBehind.push(streamerId);
    behind = stillBehind;
  }
  if (behind.length === 0) await pause(Math.max(0, end - performance.now()), signal);
}

async function withPause(step: () => Promise<number>, signal: AbortSignal): Promise<number> {
  const start = performance.now();
  const blocks = await step();
  const factor = blocks === defaultSizes.batch ? pauseFactor / 2 : pauseFactor;
  await pause((performance.now() - start) * factor, signal);
  return blocks;
}

/** Ends early when the indexer is stopped. Does not keep the process running. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
}

/** Indexes all donations without pauses. */
export async function indexAll(knex: Knex): Promise<void> {
  for (const streamerId of await streamersBehind(knex)) while ((await indexNext(knex, streamerId)) > 0);
}

/** Deletes all blocks and builds them again. */
export async function rebuildSearchIndex(knex: Knex): Promise<void> {
  const indexed: { streamer_id: string }[] = await knex("donation_search_eras").distinct("streamer_id");
  await knex.raw("truncate donation_search_blocks, donation_search_eras");
  for (const { streamer_id } of indexed) await invalidateAnswers(knex, streamer_id);
  await indexAll(knex);
}

/**
 * Builds the streamer's next blocks, and returns their number: 0 when there are too few donations for one, or while another process indexes
 * this streamer. The sequence rises in commit order, so a donation that is not visible yet comes after all visible ones.
 */
export async function indexNext(knex: Knex, streamerId: string, { block, era, batch } = defaultSizes): Promise<number> {
  return knex.transaction(async (transaction) => {
    const lock = await transaction.raw("select pg_try_advisory_xact_lock(hashtextextended(?, 0)) as locked", [`search ${streamerId}`]);
    if (!lock.rows[0].locked) return 0;
    const rows = await readUnindexed(transaction, streamerId, block * batch);
    const blocks = Math.floor(rows.length / block);
    for (let index = 0; index < blocks; index += 1)
      await insertBlock(transaction, streamerId, { rows: rows.slice(index * block, (index + 1) * block), era });
    return blocks;
  });
}

/**
 * Streamers that may have enough donations for a block. Gaps in the sequence make this an estimate; a streamer that is left out has too few.
 * The first condition saves the look at the blocks of those who have none.
 */
async function streamersBehind(knex: Knex): Promise<string[]> {
  const { rows } = await knex.raw<{ rows: { id: string }[] }>(
    `select id from streamers s where last_sequence >= ${defaultSizes.block} and last_sequence >= ${defaultSizes.block} + coalesce(
       (select max(last_sequence) from donation_search_blocks b where b.streamer_id = s.id), 0)`,
  );
  return rows.map(({ id }) => id);
}

async function readUnindexed(knex: Knex, streamerId: string, count: number): Promise<IndexedRow[]> {
  const { rows } = await knex.raw<{ rows: IndexedRow[] }>(
    `select ${searchedColumns}, sequence, to_millis(created_at) as "createdAt" from donations
     where streamer_id = ? and sequence > coalesce(
       (select max(last_sequence) from donation_search_blocks where streamer_id = ?), 0)
     order by sequence limit ?`,
    [streamerId, streamerId, count],
  );
  return rows;
}

async function insertBlock(
  knex: Knex,
  streamerId: string,
  { rows, era: eraSize }: { rows: readonly IndexedRow[]; era: number },
): Promise<void> {
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
    { streamerId, era, oldest, newest, first, last, grams: await gramsOf(streamerId, era, rows) },
  );
}

type Block = { first: number; last: number; era: number };
type Row = Searched & { sequence: number };

/** The blocks with these donations of the streamer. */
export async function blocksWith(knex: Knex, streamerId: string, sequences: readonly number[]): Promise<Block[]> {
  const { rows } = await knex.raw<{ rows: Block[] }>(
    `select distinct b.first, b.last, b.era from unnest(?::bigint[]) as wanted(sequence) cross join lateral (
       select first_sequence as first, last_sequence as last, era from donation_search_blocks
       where streamer_id = ? and last_sequence >= wanted.sequence order by last_sequence limit 1
     ) b where b.first <= wanted.sequence order by b.last`,
    [sequences, streamerId],
  );
  return rows;
}

/** Keeps others from indexing the streamer's donations until the transaction ends. */
export async function holdIndexing(transaction: Knex.Transaction, streamerId: string): Promise<void> {
  await lockByName(transaction, `search ${streamerId}`);
}

/** Computes the hashes of these blocks from their donations, as `shown` changes them. Call it while indexing is held. */
export async function rebuildBlocks(
  transaction: Knex.Transaction,
  streamerId: string,
  { blocks, shown }: { blocks: readonly Block[]; shown: (donation: Row) => Searched },
): Promise<void> {
  for (const { first, last, era } of blocks) {
    const { rows } = await transaction.raw<{ rows: Row[] }>(
      `select ${searchedColumns}, sequence from donations
       where streamer_id = ? and sequence between ? and ? order by sequence`,
      [streamerId, first, last],
    );
    const grams = await gramsOf(streamerId, era, rows.map(shown));
    await transaction.raw("update donation_search_blocks set grams = ? where streamer_id = ? and last_sequence = ?", [
      grams,
      streamerId,
      last,
    ]);
  }
}

type BlockRow = Searched & { streamerId: string; last: number; era: number; grams: number[] };
type IndexedBlock = Omit<BlockRow, keyof Searched> & { first: number };

/** Counts blocks whose hashes are not those of their donations, and donations before a block's end that are in no block. */
export async function countSearchFaults(knex: Knex): Promise<number> {
  const { rows: missing } = await knex.raw<{ rows: { count: number }[] }>(
    `select count(*) as count from donations d
     where d.sequence <= (select max(last_sequence) from donation_search_blocks b where b.streamer_id = d.streamer_id)
       and not exists (select from (
         select first_sequence from donation_search_blocks b where b.streamer_id = d.streamer_id and b.last_sequence >= d.sequence
         order by last_sequence limit 1) b where b.first_sequence <= d.sequence)`,
  );
  let faults = missing[0]?.count ?? 0;
  for (let after: IndexedBlock | undefined; ; ) {
    const block: IndexedBlock | undefined = await nextBlock(knex, after);
    if (!block) return faults;
    if (!(await isSound(knex, block))) faults += 1;
    after = block;
  }
}

async function nextBlock(knex: Knex, after: IndexedBlock | undefined): Promise<IndexedBlock | undefined> {
  const { rows } = await knex.raw<{ rows: IndexedBlock[] }>(
    `select streamer_id as "streamerId", first_sequence as first, last_sequence as last, era, grams from donation_search_blocks
     ${after ? "where (streamer_id, last_sequence) > (?::uuid, ?::bigint)" : ""} order by streamer_id, last_sequence limit 1`,
    after ? [after.streamerId, after.last] : [],
  );
  return rows[0];
}

async function isSound(knex: Knex, { streamerId, first, last, era, grams }: IndexedBlock): Promise<boolean> {
  const { rows } = await knex.raw<{ rows: Searched[] }>(
    `select ${searchedColumns} from donations where streamer_id = ? and sequence between ? and ? order by sequence`,
    [streamerId, first, last],
  );
  const expected = new Set(await gramsOf(streamerId, era, rows));
  return expected.size === new Set(grams).size && grams.every((gram) => expected.has(gram));
}
