import type { Knex } from "knex";
import { beforeAll, expect, test } from "vitest";
import { useDatabase } from "../db/testing.ts";
import { findDonatorNote, saveDonatorNote } from "../donations/donator-notes.ts";
import { readHistory, uniqueDonatorsOf } from "../reports/queries/short-history.ts";
import { foldAll, rebuildReports } from "../reports/roll-ups/rollup.ts";
import { findRollUpFaults } from "../reports/roll-ups/verify-roll-ups.ts";
import { makeRetention } from "./retention.ts";
import { type ErasureFixture, openErasureFixture } from "./testing-erasure.ts";

let knex: Knex;
let fixture: ErasureFixture;

useDatabase(async (database) => {
  knex = database.knex;
});
beforeAll(async () => {
  fixture = await openErasureFixture(knex);
});

const names = (streamerId: string) => knex("donations").where({ streamer_id: streamerId }).orderBy("sequence").pluck("donator_name");
const keys = (streamerId: string) => knex("report_donators").where({ streamer_id: streamerId }).pluck("key");

/** Makes the donations recorded so far older by this many days. */
const age = (streamerId: string, days: number) =>
  knex("donations")
    .where({ streamer_id: streamerId })
    .update({ received_at: knex.raw("received_at - ? * interval '1 day'", [days]) });

async function unique(streamerId: string): Promise<number[]> {
  await foldAll(knex, streamerId);
  const always = { from: null, to: null };
  const { donations } = await readHistory(knex, streamerId);
  const rows = await knex("report_donator_counts").where({ streamer_id: streamerId, grain: 7 }).pluck("donators");
  return [...uniqueDonatorsOf(donations, [always]), ...rows];
}

test("donations older than the streamer's setting are erased, younger ones and those of other streamers stay", async () => {
  const [streamerId, other] = [await fixture.newStreamer(), await fixture.newStreamer()];
  for (const id of [streamerId, other]) {
    await fixture.donate(id, { donatorName: "old", createdAt: Date.UTC(2030, 1, 1), createdOffset: 0 });
    await age(id, 31);
    await fixture.donate(id, { donatorName: "young", createdAt: Date.UTC(2001, 1, 1), createdOffset: 0 });
    await foldAll(knex, id);
  }
  expect(await fixture.retention.eraseAged()).toBe(false);
  expect([await fixture.retention.count(streamerId, 30), await fixture.retention.count(streamerId, 32)]).toEqual([1, 0]);
  expect(await names(streamerId)).toEqual(["old", "young"]);
  await fixture.retention.set(streamerId, 30);
  await fixture.retention.eraseAged();
  expect([await names(streamerId), await names(other)]).toEqual([
    ["(erased)", "young"],
    ["old", "young"],
  ]);
  expect(await fixture.retention.count(streamerId, 30)).toBe(0);
});

test("a note about a donator goes when all of the donator's donations are erased by age, and no sooner", async () => {
  const streamerId = await fixture.newStreamer();
  for (const donatorName of ["old", "both"]) await fixture.donate(streamerId, { donatorName });
  await age(streamerId, 31);
  await fixture.donate(streamerId, { donatorName: "both" });
  for (const name of ["old", "both"]) await saveDonatorNote(knex, streamerId, { donatorKey: `n:${name}`, note: `${name}'s` });
  await foldAll(knex, streamerId);
  await fixture.retention.set(streamerId, 30);
  await fixture.retention.eraseAged();
  expect([await findDonatorNote(knex, streamerId, "n:old"), await findDonatorNote(knex, streamerId, "n:both")]).toEqual(["", "both's"]);
});

test("a streamer whose donations cannot be erased keeps no other's from being erased", async () => {
  const streamers = [await fixture.newStreamer(), await fixture.newStreamer(), await fixture.newStreamer()];
  for (const id of streamers) {
    await fixture.donate(id, { donatorName: "old" });
    await age(id, 31);
    await foldAll(knex, id);
    await fixture.retention.set(id, 30);
  }
  const append = async (entry: { streamer: string }) => {
    if (entry.streamer === streamers[1]) throw new Error("the disk is full");
    await fixture.journal.append(entry as never);
  };
  const retention = makeRetention({ ...fixture, journal: { ...fixture.journal, append } });
  await expect(retention.eraseAged()).rejects.toThrow("the disk is full");
  expect(await Promise.all(streamers.map(names))).toEqual([["(erased)"], ["old"], ["(erased)"]]);
});

test("a donator of whom some donations are erased by age counts as one, also after a rebuild, and is forgotten with the last of them", async () => {
  const streamerId = await fixture.newStreamer();
  for (const donatorName of ["a", "a", "b"]) await fixture.donate(streamerId, { donatorName });
  await age(streamerId, 100);
  await fixture.donate(streamerId, { donatorName: "a" });
  expect(await unique(streamerId)).toEqual([2, 2]);
  await fixture.retention.set(streamerId, 30);
  while (await fixture.retention.eraseAged());
  expect(await names(streamerId)).toEqual(["(erased)", "(erased)", "(erased)", "a"]);
  expect(await unique(streamerId)).toEqual([2, 2]);
  await rebuildReports(knex, streamerId);
  expect(await unique(streamerId)).toEqual([2, 2]);
  expect((await keys(streamerId)).filter((key) => !key.startsWith("e:"))).toEqual(["n:a"]);
});

test("a donator who is forgotten by age, donates again and is forgotten again leaves the roll-ups as the donations are", async () => {
  const streamerId = await fixture.newStreamer();
  await fixture.retention.set(streamerId, 30);
  for (let i = 0; i < 2; i += 1) {
    await fixture.donate(streamerId, { donatorName: "a" });
    await foldAll(knex, streamerId);
    await age(streamerId, 100);
    while (await fixture.retention.eraseAged());
  }
  expect(await names(streamerId)).toEqual(["(erased)", "(erased)"]);
  expect(await findRollUpFaults(knex, streamerId)).toEqual({});
  expect(await unique(streamerId)).toEqual([2, 2]);
});
