// Takes an import back: voids its donations.

import type { Knex } from "knex";
import type { Voider } from "../void/void-donations.ts";
import { importStore, type SequenceRange } from "./import-store.ts";

/**
 * Voids every donation of the import that is not void, and resolves to how many; null when the streamer has no such import. An interrupted
 * call can be repeated.
 */
export async function undoImport(
  knex: Knex,
  voider: Pick<Voider, "voidMany">,
  [streamerId, importId]: [string, string],
): Promise<number | null> {
  const imports = importStore(knex);
  if (!(await imports.find(streamerId, importId))) return null;
  const ranges = await imports.ranges(streamerId, importId);
  const voided = await voider.voidMany(streamerId, idsIn(knex, streamerId, ranges), { reason: "mistake", note: null });
  await imports.markUndone(streamerId, importId);
  return voided;
}

async function* idsIn(knex: Knex, streamerId: string, ranges: readonly SequenceRange[]): AsyncGenerator<string> {
  for (const { first, last } of ranges) {
    const { rows } = await knex.raw<{ rows: { id: string }[] }>(
      "select id from donations where streamer_id = ? and sequence between ? and ? and voided_at is null order by sequence",
      [streamerId, first, last],
    );
    for (const { id } of rows) yield id;
  }
}
