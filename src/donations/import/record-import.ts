// The statement that records a chunk of an import: that of single donations of one streamer, which also notes what the import recorded.

import { readFileSync } from "node:fs";
import type { Knex } from "knex";
import { isDistributed } from "../../db/citus/distributed.ts";
import { callsOf } from "../../db/citus/node-functions.ts";
import { problemOf, refusal } from "../../http/problem.ts";
import { members, parametersOfOneStreamer, toArrays } from "../columns.ts";
import type { NewDonation } from "../donation.ts";
import { type BatchRow, recordOneStreamer, sendBatch } from "../record/batch.ts";
import { functionOf } from "../record/record-on-node.ts";

const readSql = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8").replace("/* import */", `$${members.length + 1}`);
const [noteChunk, unlessUndone] = [readSql("note-chunk.sql"), readSql("unless-undone.sql")];
const undone = "union all select null, null, null where not exists (select from counted)";
const text = recordOneStreamer.text
  .replace("/* import: note-chunk.sql */", () => noteChunk)
  .replace("/* import: unless-undone.sql */", () => `\n${unlessUndone}`)
  .replace("/* import: undone */", undone);

const recordOnNode = callsOf(functionOf(text, [...parametersOfOneStreamer, "uuid"]));

/** Nothing is added to an import that the streamer has undone. */
export const importUndone = refusal("import_undone", "The streamer has undone this import.");

/** Records donations of one streamer for the import. Throws as `insertBatch`, or the problem import_undone. */
export async function insertImported(pool: Knex, importId: string, donations: readonly NewDonation[]): Promise<BatchRow[]> {
  const [first] = donations as [NewDonation];
  const values = [first.streamerId, ...toArrays(donations).slice(1), importId];
  const statement = isDistributed(pool) ? await recordOnNode(pool, values) : { name: "record-import", text, values };
  const rows = await sendBatch(pool, statement);
  if (rows.some(({ id }) => id === null)) throw problemOf(importUndone);
  return rows;
}
