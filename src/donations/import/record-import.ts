// The statement that records a chunk of an import: that of single donations of one streamer, which also notes what the import recorded.

import { readFileSync } from "node:fs";
import type { Knex } from "knex";
import { toArrays } from "../arrays.ts";
import { type BatchRow, recordOneStreamer, sendBatch } from "../batch.ts";
import { members } from "../columns.ts";
import type { NewDonation } from "../donation.ts";

const noteChunk = readFileSync(new URL("note-chunk.sql", import.meta.url), "utf8").replace("/* import */", `$${members.length + 1}`);
const text = recordOneStreamer.text.replace("/* import: note-chunk.sql */", () => noteChunk);

/** Records donations of one streamer for the import. Throws as `insertBatch`. */
export async function insertImported(pool: Knex, importId: string, donations: readonly NewDonation[]): Promise<BatchRow[]> {
  const [first] = donations as [NewDonation];
  const values = [first.streamerId, ...toArrays(donations).slice(1), importId];
  return sendBatch(pool, { name: "record-import", text, values });
}
