// The statement that records a chunk of an import.

import { readFileSync } from "node:fs";
import type { Knex } from "knex";
import { toArrays } from "../arrays.ts";
import { type BatchRow, sendBatch } from "../batch.ts";
import { members, withColumns } from "../columns.ts";
import type { NewDonation } from "../donation.ts";

const text = withColumns(readFileSync(new URL("record-import.sql", import.meta.url), "utf8"), ["streamerId"]).replace(
  "/* import */",
  `$${members.length + 1}`,
);

/** Records donations of one streamer for the import. Throws as `insertBatch`. */
export async function insertImported(pool: Knex, importId: string, donations: readonly NewDonation[]): Promise<BatchRow[]> {
  const [first] = donations as [NewDonation];
  const values = [first.streamerId, ...toArrays(donations).slice(1), importId];
  return sendBatch(pool, { name: "record-import", text, values });
}
