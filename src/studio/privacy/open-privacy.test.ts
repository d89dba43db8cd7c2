import type { Knex } from "knex";
import { beforeAll, expect, test } from "vitest";
import { openStartedErasures } from "../../corrections/erase-donator.ts";
import { continueInterrupted } from "../../corrections/open-erasures.ts";
import { type ErasureFixture, openErasureFixture } from "../../corrections/testing-erasure.ts";
import { isLockConflict } from "../../db/failures.ts";
import { newId } from "../../db/ids.ts";
import { silent, useDatabase } from "../../db/testing.ts";
import { holdIndexing } from "../../donations/search/blocks.ts";
import { loadContract } from "../../http/contract/contract.ts";
import { openPrivacy, type Privacy } from "./open-privacy.ts";

let knex: Knex;
let fixture: ErasureFixture;
let privacy: Privacy;

useDatabase(async (database) => {
  knex = database.knex;
});
beforeAll(async () => {
  fixture = await openErasureFixture(knex);
  ({ privacy } = openPrivacy(fixture, await loadContract(), silent));
});

const mali = { identifier: "line:mali" };
const identifiers = (streamerId: string) => knex("donations").where({ streamer_id: streamerId }).orderBy("sequence").pluck("identifier");

async function twoStreamers(): Promise<[string, string]> {
  const streamers: [string, string] = [await fixture.newStreamer(), await fixture.newStreamer()];
  for (const id of streamers) for (const identifier of ["line:mali", null, "line:mali"]) await fixture.donate(id, { identifier });
  return streamers;
}

test("the studio's check counts a donator's donations with the times of the first and the last, of this streamer alone", async () => {
  const [streamerId] = await twoStreamers();
  const times = await knex("donations").where({ streamer_id: streamerId }).orderBy("sequence").pluck("received_at");
  expect(await privacy.check(streamerId, mali)).toEqual({ donations: 2, firstAt: times[0].getTime(), lastAt: times[2].getTime() });
  expect(await privacy.check(streamerId, { identifier: "line:nobody" })).toEqual({ donations: 0, firstAt: null, lastAt: null });
});

test("the studio erases a donator of this streamer alone, and tells the progress to this streamer alone", async () => {
  const [streamerId, other] = await twoStreamers();
  const id = newId();
  await privacy.erase(streamerId, mali, id);
  expect(await identifiers(streamerId)).toEqual([null, null, null]);
  expect(await identifiers(other)).toEqual(["line:mali", null, "line:mali"]);
  const erasure = { id, donations: 2, beganAt: expect.any(Number), finishedAt: expect.any(Number) };
  expect(await privacy.find(streamerId, id)).toEqual(erasure);
  expect(await privacy.list(streamerId)).toEqual([erasure]);
  expect([await privacy.find(other, id), await privacy.find(streamerId, "x"), await privacy.list(other)]).toEqual([null, null, []]);
});

test("an erasure that is begun twice at once is one erasure with one entry of each kind for its id", async () => {
  const [streamerId] = await twoStreamers();
  const id = newId();
  await Promise.all([privacy.erase(streamerId, mali, id), privacy.erase(streamerId, mali, id)]);
  expect(await privacy.list(streamerId)).toMatchObject([{ id, donations: 2 }]);
  expect((await fixture.journal.read()).filter((entry) => entry.type === "finished" && entry.id === id)).toHaveLength(1);
  expect(await knex("events").where({ streamer_id: streamerId })).toHaveLength(2);
});

test("an id that another streamer's erasure has erases nothing and writes no journal", async () => {
  const [streamerId, other] = await twoStreamers();
  const id = newId();
  await privacy.erase(streamerId, mali, id);
  const before = await fixture.journal.read();
  await privacy.erase(other, mali, id);
  expect(await identifiers(other)).toEqual(["line:mali", null, "line:mali"]);
  expect(await fixture.journal.read()).toEqual(before);
});

test("an erasure of donations that stay locked is unavailable, and has begun: the journal continues it", async () => {
  const [streamerId] = await twoStreamers();
  const id = newId();
  await knex.transaction(async (transaction) => {
    await holdIndexing(transaction, streamerId);
    await expect(privacy.erase(streamerId, mali, id)).rejects.toSatisfy(isLockConflict);
  });
  expect(await privacy.find(streamerId, id)).toMatchObject({ donations: 0, finishedAt: null });
  await continueInterrupted(fixture, 0);
  expect(await privacy.find(streamerId, id)).toMatchObject({ donations: 2, finishedAt: expect.any(Number) });
});

test("the studio's donators have the bounds of the contract, and a fault names the member", async () => {
  const refused = (pointer: string, code: string) => ({ code: "validation_failed", extras: { errors: [{ pointer, code }] } });
  await expect(privacy.check("nobody", { identifier: "" })).rejects.toMatchObject(refused("/identifier", "too_short"));
  await expect(privacy.erase("nobody", { donatorName: "x".repeat(51) }, newId())).rejects.toMatchObject(
    refused("/donatorName", "too_long"),
  );
});

test("the studio counts donations by age and sets the retention of this streamer alone, within the bounds of the command line", async () => {
  const [streamerId, other] = await twoStreamers();
  const days = (count: number) => knex.raw("received_at - ? * interval '1 day'", [count]);
  await knex("donations")
    .update({ received_at: days(31) })
    .whereIn("streamer_id", [streamerId, other]);
  expect([await privacy.countAged(streamerId, 30), await privacy.countAged(streamerId, 32)]).toEqual([3, 0]);
  await privacy.setRetention(streamerId, 30);
  expect([await privacy.retention(streamerId), await privacy.retention(other)]).toEqual([30, null]);
  await privacy.setRetention(streamerId, null);
  expect(await privacy.retention(streamerId)).toBeNull();
  for (const days of [0, 1.5, 36_501])
    await expect(privacy.setRetention(streamerId, days)).rejects.toMatchObject({
      extras: { errors: [{ pointer: "/days", code: "out_of_range" }] },
    });
});

test("an erasure that takes longer than its caller waits goes on, and is awaited at the end for a bounded time", async () => {
  let finish = () => {};
  const erased = new Promise<null>((resolve) => {
    finish = () => resolve(null);
  });
  const open = (stopMs: number) => openStartedErasures({ knex, eraseOnce: () => erased }, silent, { patienceMs: 1, stopMs });
  const [patient, hurried] = [open(600_000), open(1)];
  for (const { start } of [patient, hurried]) await start("somebody", "i:x", newId());
  const ended: string[] = [];
  const stopping = patient.stop().then(() => ended.push("patient"));
  await hurried.stop();
  ended.push("hurried");
  finish();
  await stopping;
  expect(ended).toEqual(["hurried", "patient"]);
});
