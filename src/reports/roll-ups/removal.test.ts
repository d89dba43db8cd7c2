import type { Knex } from "knex";
import { expect, test } from "vitest";
import { createPool } from "../../db/pool.ts";
import { silent, useDatabase } from "../../db/testing.ts";
import { insertBatch } from "../../donations/record/batch.ts";
import { newStreamer, someDonation } from "../../donations/testing.ts";
import { holdRollUps } from "./removal.ts";
import { foldAll } from "./rollup.ts";

let knex: Knex;
/** As if the database were distributed: its statements run on a single node, too. */
let onNode: Knex;

useDatabase(async (database) => {
  knex = database.knex;
  onNode = createPool(database.url, { max: 1, traits: { layout: "onNodes" } }, silent);
  return () => onNode.destroy();
});

const tables = ["report_sums", "report_donator_sums", "report_donator_counts", "report_classes", "report_amounts"];

test("the statements of a distributed database take out of the roll-ups what those of a single node do", async () => {
  const [single, distributed] = [await foldedStreamer(), await foldedStreamer()];
  const before = await rollUpsOf(single);
  await knex.transaction(async (trx) => (await holdRollUps(trx, single)).remove([1, 2, 5, 8]));
  await onNode.transaction(async (trx) => (await holdRollUps(trx, distributed)).remove([1, 2, 5, 8]));
  const after = await rollUpsOf(single);
  for (const table of tables) expect(after[table], table).not.toEqual(before[table]);
  expect(await rollUpsOf(distributed)).toEqual(after);
});

/** Twelve donations of four donators from every source; those that leave are all that one donator gave, and some of others. */
async function foldedStreamer(): Promise<string> {
  const id = await newStreamer(knex);
  const sources = ["external", "native", "test"] as const;
  const donations = Array.from({ length: 12 }, (_, index) =>
    someDonation(id, {
      amount: index + 1,
      donatorName: index < 2 ? "leaves" : `stays ${index % 3}`,
      source: sources[index % 3] as (typeof sources)[number],
      createdAt: Date.UTC(2026, index % 5, 1 + index),
    }),
  );
  for (const donation of donations) await insertBatch(knex, [donation], false);
  await foldAll(knex, id);
  return id;
}

async function rollUpsOf(streamerId: string): Promise<Record<string, unknown>> {
  const rows = async (table: string) => {
    const { rows } = await knex.raw("select (to_jsonb(t) - 'streamer_id')::text as row from ?? t where streamer_id = ? order by 1", [
      table,
      streamerId,
    ]);
    return [table, rows.map(({ row }: { row: string }) => row)] as const;
  };
  return Object.fromEntries(await Promise.all(tables.map(rows)));
}
