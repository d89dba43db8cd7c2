import { expect, test } from "vitest";
import { useErasureFixture } from "../../corrections/testing-erasure.ts";
import { batchedReads } from "../../db/batched-reads.ts";
import { donationStore } from "../../donations/store.ts";
import { foldAll } from "../../reports/roll-ups/rollup.ts";
import { readWidgets } from "./read-widgets.ts";

const fixture = useErasureFixture();

const read = async (streamerId: string) => {
  const goal = { id: "g", title: "Goal", target: 100, from: "2026-01-01" };
  return (await readWidgets(fixture.knex, fixture.knex, donationStore(fixture.knex, batchedReads(fixture.knex)))(streamerId, [goal]))
    .widgets;
};

const donateAs = (streamerId: string, donator: number, members = {}) =>
  fixture.donate(streamerId, {
    donatorName: `D${donator}`,
    identifier: `id-${donator}`,
    amount: donator,
    createdAt: Date.now(),
    ...members,
  });

test("erased donators are in the widgets' sums alone: lists are filled with those who come after them, whose ranks begin with 1", async () => {
  const streamerId = await fixture.newStreamer();
  for (let donator = 1; donator <= 14; donator += 1) await donateAs(streamerId, donator);
  await foldAll(fixture.knex, streamerId);
  const before = await read(streamerId);
  expect(before.top[0]).toMatchObject({ rank: 1, donatorName: "D14" });
  await donateAs(streamerId, 15); // in no roll-up yet
  await fixture.eraser.erase(streamerId, ["i:id-14", "i:id-12"]);
  await donateAs(streamerId, 16);
  await fixture.eraser.erase(streamerId, ["i:id-16"]);
  const after = await read(streamerId);
  const names = [15, 13, 11, 10, 9, 8, 7, 6, 5, 4].map((donator) => `D${donator}`);
  for (const list of [after.top, after.topOf.day, after.topOf.week, after.topOf.month]) {
    expect(list.map(({ donatorName }) => donatorName)).toEqual(names);
    expect(list.map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  }
  expect(after.recent.map(({ donatorName }) => donatorName)).toEqual(names);
  expect(Object.values(after.largest).map((one) => one?.donatorName)).toEqual(["D15", "D15", "D15", "D15"]);
  expect(after.totals.all).toEqual({ amount: before.totals.all.amount + 15 + 16, count: 16 });
  expect(after.goal?.current).toBe(after.totals.all.amount);
});

test("a donator is left out whose donations are erased, before the erasure ends and forgets their key", async () => {
  const streamerId = await fixture.newStreamer();
  await donateAs(streamerId, 1);
  await donateAs(streamerId, 2);
  await foldAll(fixture.knex, streamerId);
  await fixture.eraser.erase(streamerId, ["i:id-2"]);
  await fixture.knex("report_donators").insert({ streamer_id: streamerId, key: "i:id-2", donator: 2 });
  expect((await read(streamerId)).top).toMatchObject([{ rank: 1, donatorName: "D1" }]);
});

test("a donator is among the top again who donates after donations of theirs were erased by age", async () => {
  const streamerId = await fixture.newStreamer();
  await donateAs(streamerId, 1);
  await donateAs(streamerId, 2);
  await foldAll(fixture.knex, streamerId);
  await fixture
    .knex("donations")
    .where({ streamer_id: streamerId })
    .update({ received_at: fixture.knex.raw("received_at - interval '31 days'") });
  await fixture.retention.set(streamerId, 30);
  await fixture.retention.eraseAged();
  expect((await read(streamerId)).top).toEqual([]);
  expect((await read(streamerId)).largest.all).toBeNull();
  await donateAs(streamerId, 1);
  await foldAll(fixture.knex, streamerId);
  expect((await read(streamerId)).top).toMatchObject([{ rank: 1, donatorName: "D1" }]);
});

test("somebody who is called (erased) is shown by widgets", async () => {
  const streamerId = await fixture.newStreamer();
  await donateAs(streamerId, 1, { donatorName: "(erased)", identifier: null });
  const { top, recent, largest } = await read(streamerId);
  for (const one of [top[0], recent[0], largest.all]) expect(one).toMatchObject({ donatorName: "(erased)" });
});
