import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import { describe, expect, test } from "vitest";
import type { Database } from "../../db/database.ts";
import { silent, useDatabase } from "../../db/testing.ts";
import type { NewDonation } from "../donation.ts";
import { newStreamer, someDonation } from "../testing.ts";
import { insertBatch } from "./batch.ts";
import { fenceBatch } from "./find-recorded.ts";
import { makeWriter } from "./writer.ts";

const applicationId = uuidv7();
let database: Database;
let pool: Knex;

useDatabase(async (opened) => {
  database = opened;
  pool = database.pool({ max: 3, lockTimeoutMs: 250 });
});

type Batch = [NewDonation, ...NewDonation[]];

const batches: [string, (streamers: string[]) => Batch][] = [
  ["of one streamer", ([a = ""]) => [donation(a), donation(a)]],
  ["of several streamers", ([a = "", b = ""]) => [donation(a), donation(b)]],
];

describe.each(batches)("a batch %s", (_, batchOf) => {
  test("a batch whose statement arrives after its fence is not recorded, and no later one is kept out", async () => {
    const streamers = [await newStreamer(database.knex), await newStreamer(database.knex)];
    const lost = batchOf(streamers);
    await fenceBatch(pool, lost);
    await insertBatch(pool, lost, false);
    expect(await recorded(lost)).toBe(0);
    const next = batchOf(streamers);
    await insertBatch(pool, next, false);
    expect(await recorded(next)).toBe(next.length);
  });

  test("a batch whose statement waits for a lock while it is fenced is not recorded", async () => {
    const lost = batchOf([await newStreamer(database.knex), await newStreamer(database.knex)]);
    const patient = database.pool({ max: 1 });
    let inserting: Promise<unknown> = Promise.resolve();
    await pool.transaction(async (transaction) => {
      await transaction("streamers").where("id", lost[0].streamerId).forUpdate();
      inserting = insertBatch(patient, lost, false);
      await sleep(200);
      await fenceBatch(transaction, lost);
    });
    await inserting;
    expect(await recorded(lost)).toBe(0);
  });

  test("a fence waits for a statement under way no longer than the lock time-out, and its batch is recorded", async () => {
    const lost = batchOf([await newStreamer(database.knex), await newStreamer(database.knex)]);
    await pool.transaction(async (transaction) => {
      await insertBatch(transaction, lost, false);
      await expect(fenceBatch(pool, lost)).rejects.toMatchObject({ code: "55P03" });
    });
    await fenceBatch(pool, lost);
    expect(await recorded(lost)).toBe(lost.length);
  });
});

test("a streamer keeps the fences of the last ten minutes, each once", async () => {
  const streamerId = await newStreamer(database.knex);
  const old = "0190b5a8-0000-7000-8000-000000000000";
  await database
    .knex("streamers")
    .where("id", streamerId)
    .update({ fenced_batches: [old] });
  const lost: Batch[] = [[donation(streamerId)], [donation(streamerId)]];
  for (const batch of [...lost, ...lost]) await fenceBatch(pool, batch);
  const [row] = await database.knex("streamers").where("id", streamerId).select("fenced_batches");
  expect(row.fenced_batches.sort()).toEqual(lost.map(([first]) => first.id).sort());
});

test("donations that meet a serialization failure are recorded once each, with their ids", async () => {
  const streamerId = await newStreamer(database.knex);
  const serializable = { max: 4, lockTimeoutMs: 250, settings: { default_transaction_isolation: "serializable" } };
  const writers = [1, 2, 3].map(() => makeWriter({ pool: database.pool(serializable), log: silent }));
  const asked = Array.from({ length: 90 }, () => donation(streamerId));
  const outcomes = await Promise.all(
    asked.map(async (one, index) => {
      await sleep(index);
      return writers[index % 3]?.record(one);
    }),
  );
  expect(outcomes.map((outcome) => outcome?.donation.id)).toEqual(asked.map(({ id }) => id));
  expect(await recorded(asked)).toBe(asked.length);
});

const donation = (streamerId: string): NewDonation => someDonation(streamerId, { applicationId });

async function recorded(donations: readonly NewDonation[]): Promise<number> {
  const ids = donations.map(({ id }) => id);
  return (await database.knex("donations").whereIn("id", ids).pluck("id")).length;
}
