// Compares the search index with the donations.

import type { Knex } from "knex";
import { gramsOf, type Searched, searchedColumns } from "./search-text.ts";

type Row = Searched & { streamerId: string; last: number; era: number; grams: number[] };
type Block = Omit<Row, keyof Searched> & { first: number };

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
  for (let after: Block | undefined; ; ) {
    const block: Block | undefined = await nextBlock(knex, after);
    if (!block) return faults;
    if (!(await isSound(knex, block))) faults += 1;
    after = block;
  }
}

async function nextBlock(knex: Knex, after: Block | undefined): Promise<Block | undefined> {
  const { rows } = await knex.raw<{ rows: Block[] }>(
    `select streamer_id as "streamerId", first_sequence as first, last_sequence as last, era, grams from donation_search_blocks
     ${after ? "where (streamer_id, last_sequence) > (?::uuid, ?::bigint)" : ""} order by streamer_id, last_sequence limit 1`,
    after ? [after.streamerId, after.last] : [],
  );
  return rows[0];
}

async function isSound(knex: Knex, { streamerId, first, last, era, grams }: Block): Promise<boolean> {
  const { rows } = await knex.raw<{ rows: Searched[] }>(
    `select ${searchedColumns} from donations where streamer_id = ? and sequence between ? and ? order by sequence`,
    [streamerId, first, last],
  );
  const expected = new Set(await gramsOf(streamerId, era, rows));
  return expected.size === new Set(grams).size && grams.every((gram) => expected.has(gram));
}
