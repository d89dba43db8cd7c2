// Takes an import back: voids its donations.

import type { Knex } from "knex";
import { importStore, type SequenceRange } from "../donations/import/import-store.ts";
import type { Voider } from "./void-donations.ts";

/**
 * Voids every donation of the import that is not void, and resolves to how many; null when the streamer has no such import. An interrupted
 * call can be repeated. The keys of these donations are free, so that the same file can be imported again. The key of one that was void
 * before stays used, and so does that of an erased one, of which there is only a hash.
 */
export async function undoImport(knex: Knex, voider: Voider, [streamerId, importId]: [string, string]): Promise<number | null> {
  const imports = importStore(knex);
  if (!(await imports.find(streamerId, importId))) return null;
  const ranges = await imports.ranges(streamerId, importId, 0);
  const voidAll = (some: readonly SequenceRange[]) =>
    voider.voidMany(streamerId, idsIn(knex, streamerId, some), { reason: "mistake", note: null, freesKeys: true });
  const voided = await voidAll(ranges);
  await imports.markUndone(streamerId, importId);
  return voided + (await voidAll(await imports.ranges(streamerId, importId, ranges.at(-1)?.last ?? 0))); // recorded meanwhile
}

/** Ranges that are read together. */
const rangesAtOnce = 50;

async function* idsIn(knex: Knex, streamerId: string, ranges: readonly SequenceRange[]): AsyncGenerator<string> {
  for (let from = 0; from < ranges.length; from += rangesAtOnce) {
    const some = ranges.slice(from, from + rangesAtOnce);
    const { rows } = await knex.raw<{ rows: { id: string }[] }>(
      `select id from unnest(?::bigint[], ?::bigint[]) r(first, last) cross join lateral (
         select id, sequence from donations where streamer_id = ? and sequence between r.first and r.last and voided_at is null offset 0
       ) d order by sequence`,
      [some.map(({ first }) => first), some.map(({ last }) => last), streamerId],
    );
    for (const { id } of rows) yield id;
  }
}
