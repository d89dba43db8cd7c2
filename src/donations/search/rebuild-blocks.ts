// Makes search blocks again, without what was erased: a block has hashes of the letters of all its donations.

import type { Knex } from "knex";
import { lockByName } from "../../db/advisory-lock.ts";
import { gramsOf, type Searched, searchedColumns } from "./search-text.ts";

type Block = { first: number; last: number; era: number };
type Row = Searched & { sequence: number };

/** The blocks with these donations of the streamer, and how many more there are. */
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
