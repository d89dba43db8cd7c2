import { setTimeout as sleep } from "node:timers/promises";
import * as fc from "fast-check";
import type { Knex } from "knex";
import { expect, test } from "vitest";
import { answerCache } from "../../db/answer-cache.ts";
import { batchedReads } from "../../db/batched-reads.ts";
import type { Database } from "../../db/database.ts";
import { isLockConflict } from "../../db/failures.ts";
import { silent, useDatabase } from "../../db/testing.ts";
import { insertBatch } from "../../donations/record/batch.ts";
import { newStreamer } from "../../donations/testing.ts";
import { draft, steps } from "../model/testing-cases.ts";
import { executeSteps, newDonation, readSeed, voiderOf } from "../testing.ts";
import { findBehind, foldAll, foldNext, rebuildReports, rollupWorker } from "./rollup.ts";
import { findRollUpFaults } from "./verify-roll-ups.ts";

// On a database of their own: workers fold whatever streamers they find behind. SEED=123 repeats a run.
const { seed } = readSeed(process.env.SEED);

let database: Database;
let knex: Knex;

useDatabase(async (opened) => {
  database = opened;
  knex = database.knex;
});

test("two roll-up workers fold every donation of two writers exactly once", async () => {
  const streamers = [await newStreamer(knex), await newStreamer(knex)];
  const workers = [
    rollupWorker({ knex: database.pool({ max: 1 }), log: silent }),
    rollupWorker({ knex: database.pool({ max: 1 }), log: silent }),
  ];
  const drafts = fc.sample(draft, { numRuns: 600, seed });
  await Promise.all(
    streamers.map(async (streamer, index) => {
      for (let at = 0; at < drafts.length; at += 20) {
        await insertBatch(
          knex,
          drafts.slice(at, at + 20).map((one) => newDonation(streamer, one)),
          false,
        );
        if (index === 0) for (const { wake } of workers) wake(streamer, 20);
      }
    }),
  );
  const behind = () =>
    knex("streamers")
      .whereIn("id", streamers)
      .whereNotExists(knex("report_progress").whereRaw("streamer_id = id and rolled_sequence = last_sequence"));
  while ((await behind()).length > 0) await sleep(20);
  await Promise.all(workers.map(({ stop }) => stop()));
  for (const streamer of streamers) expect(await findRollUpFaults(knex, streamer)).toEqual({});
});

test("a fold whose connection has lost its prepared statement gives the connection up, and a later fold has another", async () => {
  const streamer = await newStreamer(knex);
  const pool = database.pool({ max: 1 });
  const record = () => insertBatch(knex, [newDonation(streamer, fc.sample(draft, { numRuns: 1, seed })[0]!)], false);
  await record();
  await foldNext(pool, streamer);
  await record();
  await pool.raw("deallocate all");
  await expect(foldNext(pool, streamer)).rejects.toThrow();
  await expect.poll(() => foldNext(pool, streamer).catch(() => null)).toEqual({ donations: 1, done: true });
  expect(await findRollUpFaults(knex, streamer)).toEqual({});
});

test("donations that are voided while two workers fold them are in the roll-ups exactly when they are not void", async () => {
  const streamer = await newStreamer(knex);
  const workers = [1, 2].map(() => rollupWorker({ knex: database.pool({ max: 1 }), log: silent }));
  const voider = voiderOf(database.pool({ max: 2 }));
  const drafts = fc.sample(draft, { numRuns: 150, seed });
  let voiding: Promise<unknown> = Promise.resolve();
  for (let at = 0; at < drafts.length; at += 10) {
    const donations = drafts.slice(at, at + 10).map((one) => newDonation(streamer, one));
    await insertBatch(knex, donations, false);
    for (const { wake } of workers) wake(streamer, donations.length);
    const ids = donations.slice(0, 4).map(({ id }) => id);
    voiding = voiding.then(() => voider.void(streamer, ids, { reason: "refund", note: null }));
  }
  await voiding;
  await Promise.all(workers.map(({ stop }) => stop()));
  await foldAll(knex, streamer);
  expect(await findRollUpFaults(knex, streamer)).toEqual({});
});

test("many donations are voided in several transactions, each once, whatever is void already", async () => {
  const streamer = await newStreamer(knex);
  const donations = fc.sample(draft, { numRuns: 1_100, seed }).map((one) => newDonation(streamer, one));
  await insertBatch(knex, donations, false);
  await foldAll(knex, streamer);
  const ids = donations.map(({ id }) => id);
  const voider = voiderOf(knex);
  await voider.void(streamer, ids.slice(0, 7), { reason: "fraud", note: null });
  expect(await voider.voidMany(streamer, ids.slice(0, 1_050), { reason: "mistake", note: null })).toBe(1_043);
  expect(await findRollUpFaults(knex, streamer)).toEqual({});
  const left = await knex("donations").where("streamer_id", streamer).whereNull("voided_at").pluck("id");
  expect(left.toSorted()).toEqual(ids.slice(1_050).toSorted());
  expect(await voider.voidMany(streamer, ids, { reason: "mistake", note: null })).toBe(50);
  expect(await contents(streamer)).toMatchObject({ report_sums: [], report_donator_sums: [], report_classes: [], report_amounts: [] });
});

test("a void with nothing to void waits for no lock: neither of an unknown id, nor of a donation that is void or not the caller's", async () => {
  const streamer = await newStreamer(knex);
  const donations = fc.sample(draft, { numRuns: 2, seed }).map((one) => newDonation(streamer, one));
  await insertBatch(knex, donations, false);
  const [first, second] = donations.map(({ id }) => id) as [string, string];
  const voider = voiderOf(database.pool({ max: 1 }));
  const voiding = { reason: "mistake", note: null } as const;
  await voider.void(streamer, [first], voiding);
  await knex.transaction(async (locking) => {
    await locking("report_progress").where("streamer_id", streamer).forUpdate();
    expect(await voider.void(streamer, [newDonation(streamer, fc.sample(draft, 1)[0]!).id], voiding)).toEqual([]);
    expect(await voider.void(streamer, [first], voiding)).toMatchObject([{ id: first, voided: { reason: "mistake" } }]);
    expect(await voider.void(streamer, [second], voiding, () => false)).toMatchObject([{ id: second, voided: null }]);
    await expect(voider.void(streamer, [second], voiding)).rejects.toSatisfy(isLockConflict);
  });
});

const tables = {
  report_sums: "grain, period, source, channel, count, amount, smallest, largest, largest_sequence, last_at, last_sequence",
  report_donator_sums: "grain, period, donator, source, count, amount, first_at, last_at, last_sequence",
  report_donator_counts: "grain, period, sources, donators",
  report_classes: "grain, period, source, class, count",
  report_amounts: "grain, period, source, class, amount, count",
  report_donators: "donator, key",
};

test("roll-ups equal the sums of the donations that are not void, however they were recorded, imported, folded, voided and erased", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 5, maxLength: 60 }), async (some) => {
      const streamer = await newStreamer(knex);
      await executeSteps(knex, streamer, some);
      await foldAll(knex, streamer);
      if (!some.some((step) => "void" in step || "erase" in step)) {
        const folded = await contents(streamer);
        await rebuildReports(knex, streamer);
        expect(await contents(streamer)).toEqual(folded); // else some donators have another number then
      }
      expect(await findRollUpFaults(knex, streamer)).toEqual({});
    }),
    { numRuns: 60, seed },
  );
});

test("after roll-ups are built again, an answer that was made from the old ones is not given any more", async () => {
  const streamer = await newStreamer(knex);
  await insertBatch(knex, [newDonation(streamer, fc.sample(draft, { numRuns: 1, seed })[0]!)], false);
  const cache = answerCache(batchedReads(knex));
  const ask = async (text: string) =>
    String(await cache({ streamerId: streamer, text: "stats", showsAlerts: false }, async () => Buffer.from(text)));
  await ask("of the old roll-ups");
  await rebuildReports(knex, streamer);
  expect(await ask("of the new roll-ups")).toBe("of the new roll-ups");
  expect(await findBehind(knex)).not.toContain(streamer);
});

async function contents(streamer: string): Promise<unknown> {
  const found: Record<string, unknown> = {};
  for (const [table, columns] of Object.entries(tables))
    found[table] = (
      await knex.raw(
        `select ${columns} from ${table} t where streamer_id = ? and to_jsonb(t) ->> 'donators' is distinct from '0' order by ${columns}`,
        [streamer],
      )
    ).rows;
  return found;
}
