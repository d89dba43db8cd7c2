import * as fc from "fast-check";
import type { Knex } from "knex";
import { beforeAll, expect, test } from "vitest";
import { useDatabase } from "../../db/testing.ts";
import { insertBatch } from "../../donations/record/batch.ts";
import { newStreamer } from "../../donations/testing.ts";
import { draft } from "../model/testing-cases.ts";
import { newDonation } from "../testing.ts";
import { foldAll } from "./rollup.ts";
import { countRollUpFaults, findRollUpFaults } from "./verify-roll-ups.ts";

let knex: Knex;
let streamer: string;

useDatabase(async (database) => {
  knex = database.knex;
});
beforeAll(async () => {
  streamer = await newStreamer(knex);
  const donations = fc.sample(draft, { numRuns: 30, seed: 1 }).map((one) => newDonation(streamer, one));
  await insertBatch(knex, donations.slice(0, 25), false);
  await foldAll(knex, streamer);
  await insertBatch(knex, donations.slice(25), false); // these are not folded
});

/** The tables in which a comparison finds a fault after this statement, which is undone. */
async function faultyAfter(sql: string): Promise<string[]> {
  const transaction = await knex.transaction();
  try {
    await transaction.raw(sql, { streamer });
    return Object.keys(await findRollUpFaults(transaction, streamer));
  } finally {
    await transaction.rollback();
  }
}

const columns: [table: string, column: string, grains: number[]][] = [
  ["report_sums", "amount", [1, 2, 3, 5, 6, 7]],
  ["report_sums", "last_sequence", [7]],
  ["report_donator_sums", "count", [2, 3, 4, 5, 6, 7]],
  ["report_donator_counts", "donators", [2, 3, 4, 5, 6, 7]],
  ["report_classes", "count", [3, 5, 6, 7]],
  ["report_amounts", "count", [3, 5, 6, 7]],
];

test.each(columns)("a %s row with another %s is found in every grain", async (table, column, grains) => {
  for (const grain of grains) {
    const row = `ctid = (select min(ctid) from ${table} where streamer_id = :streamer and grain = ${grain})`;
    expect(await faultyAfter(`update ${table} set ${column} = ${column} + 1 where ${row}`)).toEqual([table]);
    expect(await faultyAfter(`delete from ${table} where ${row}`)).toEqual([table]);
  }
});

test("a row of another period is found, although its sums are right", async () => {
  expect(await faultyAfter("update report_classes set period = period + 1000 where streamer_id = :streamer and grain = 3")).toEqual([
    "report_classes",
  ]);
});

test("a donator without a number, one with that of another, and one with a number too high are found", async () => {
  const first = "streamer_id = :streamer and donator = 1";
  for (const change of [
    `delete from report_donators where ${first}`,
    ...[2, 1_000].map((to) => `update report_donators set donator = ${to} where ${first}`),
  ])
    expect(await faultyAfter(change)).toContain("report_donators");
});

test("roll-ups that agree with the donations have no fault, of one streamer and of all", async () => {
  expect(await findRollUpFaults(knex, streamer)).toEqual({});
  expect(new Set(Object.values(await countRollUpFaults(knex)))).toEqual(new Set([0]));
});
