// The function that folds where the database is distributed, on a single node: it runs there as it is.

import * as fc from "fast-check";
import type { Knex } from "knex";
import { expect, test } from "vitest";
import { createPool } from "../../db/pool.ts";
import { silent, useDatabase } from "../../db/testing.ts";
import { insertBatch } from "../../donations/record/batch.ts";
import { newStreamer } from "../../donations/testing.ts";
import { draft } from "../model/testing-cases.ts";
import { newDonation, readSeed } from "../testing.ts";
import { foldNext } from "./rollup.ts";
import { findRollUpFaults } from "./verify-roll-ups.ts";

const { seed } = readSeed(process.env.SEED);

let knex: Knex;
let onNode: Knex;

useDatabase(async (database) => {
  knex = database.knex;
  await knex.raw("create function create_distributed_function(text, text, colocate_with text) returns void language sql as ''");
  onNode = createPool(database.url, { max: 4, traits: { layout: "onNodes" } }, silent);
  return () => onNode.destroy();
});

test("the function folds every donation once, in batches of any size, as the statement does", async () => {
  const [byFunction, byStatement] = [await newStreamer(knex), await newStreamer(knex)];
  const drafts = fc.sample(draft, { numRuns: 300, seed });
  for (const [at, limit] of [10, 1, 40, 10_000].entries()) {
    for (const streamer of [byFunction, byStatement])
      await insertBatch(
        knex,
        drafts.slice(at * 75, at * 75 + 75).map((one) => newDonation(streamer, one)),
        false,
      );
    await knex.raw("update donations set voided_at = now() where streamer_id in (?, ?) and sequence = ?", [
      byFunction,
      byStatement,
      at * 75 + 60,
    ]);
    expect(await foldNext(onNode, byFunction, limit)).toEqual(await foldNext(knex, byStatement, limit));
  }
  expect(await findRollUpFaults(knex, byFunction)).toEqual({});
  expect(await foldNext(onNode, byFunction)).toEqual({ donations: 0, done: true });
  const progress = await knex("report_progress").whereIn("streamer_id", [byFunction, byStatement]).select("rolled_sequence", "donators");
  expect(progress).toEqual([{ rolled_sequence: 300, donators: expect.any(Number) }, progress[0]]);
});

test("donations that are recorded while the function runs are folded by the next one alone", async () => {
  const streamer = await newStreamer(knex);
  const drafts = fc.sample(draft, { numRuns: 400, seed });
  let isRecording = true;
  const recording = (async () => {
    for (const one of drafts) await insertBatch(knex, [newDonation(streamer, one)], false);
    isRecording = false;
  })();
  while (isRecording) await foldNext(onNode, streamer);
  await recording;
  await foldNext(onNode, streamer);
  expect(await findRollUpFaults(knex, streamer)).toEqual({});
});

test("while another transaction holds the progress of a streamer, the function folds nothing", async () => {
  const streamer = await newStreamer(knex);
  await insertBatch(
    knex,
    fc.sample(draft, { numRuns: 5, seed }).map((one) => newDonation(streamer, one)),
    false,
  );
  await foldNext(onNode, streamer, 2);
  await knex.transaction(async (transaction) => {
    await transaction("report_progress").where("streamer_id", streamer).forUpdate();
    expect(await foldNext(onNode, streamer)).toEqual({ donations: 0, done: true });
  });
  expect(await foldNext(onNode, streamer)).toEqual({ donations: 3, done: true });
});
