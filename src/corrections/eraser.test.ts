import { readFile } from "node:fs/promises";
import type { Knex } from "knex";
import { expect, test } from "vitest";
import { batchedReads } from "../db/batched-reads.ts";
import { indexNext } from "../donations/search/blocks.ts";
import { makeSearch } from "../donations/search/search.ts";
import { searchStore } from "../donations/search/search-store.ts";
import { donationStore } from "../donations/store.ts";
import { someDonation } from "../donations/testing.ts";
import { readHistory, topDonatorsOf, uniqueDonatorsOf } from "../reports/queries/short-history.ts";
import { foldAll, rebuildReports } from "../reports/roll-ups/rollup.ts";
import { makeEraser } from "./eraser.ts";
import { continueInterrupted, forgetInMemory, type Seen, sweep } from "./open-erasures.ts";
import { beforeStatements, useErasureFixture } from "./testing-erasure.ts";
import { findVoidNotes, makeVoider } from "./void-donations.ts";

const fixture = useErasureFixture();

const always = { from: null, to: null };
const mali = { donatorName: "มาลี ใจดี", message: "ฝากถึงแม่ด้วยค่ะ", identifier: "line:mali" };

/** What must stay: sums, counts and unique donators, from the roll-ups and from the donations themselves. */
async function figures(streamerId: string) {
  await foldAll(fixture.knex, streamerId);
  const { donations } = await readHistory(fixture.knex, streamerId);
  const top = topDonatorsOf(donations, always, { by: "amount", limit: 100 });
  const rollUps = await Promise.all(
    ["report_sums", "report_donator_sums", "report_donator_counts", "report_amounts"].map((table) =>
      fixture.knex(table).where("streamer_id", streamerId).orderByRaw("2, 3, 4, 5").select("*"),
    ),
  );
  return { unique: uniqueDonatorsOf(donations, [always]), top: top.map(({ total, count, rank }) => ({ total, count, rank })), rollUps };
}

test("an erasure by identifier blanks what that donator wrote and nothing of anybody else", async () => {
  const streamerId = await fixture.newStreamer();
  const erased = await fixture.donate(streamerId, { ...mali, amount: 20 });
  const other = await fixture.donate(streamerId, { ...mali, identifier: "line:other", amount: 30 });
  const elsewhere = await fixture.newStreamer();
  const foreign = await fixture.donate(elsewhere, mali);
  expect(await fixture.eraser.erase(streamerId, ["i:line:mali"])).toMatchObject({ donations: 1 });
  const store = donationStore(fixture.knex, batchedReads(fixture.knex));
  expect(await store.find(streamerId, erased.id)).toMatchObject({
    ...{ donatorName: "(erased)", message: "", identifier: null, idempotencyKey: null, amount: 20 },
    donatorKey: expect.stringMatching(/^e:/),
  });
  expect(await store.find(streamerId, other.id)).toMatchObject({ ...mali, identifier: "line:other" });
  expect(await store.find(elsewhere, foreign.id)).toMatchObject(mali);
});

test("an erasure deletes the notes beside the void donations of that donator and of nobody else", async () => {
  const streamerId = await fixture.newStreamer();
  const [erased, other] = [await fixture.donate(streamerId, mali), await fixture.donate(streamerId, { identifier: "line:other" })];
  const ids = [erased.id, other.id];
  await makeVoider(fixture.knex).voidMany(streamerId, ids, { reason: "fraud", note: "มาลี โทรมา" });
  expect([...(await findVoidNotes(fixture.knex, streamerId, ids)).keys()].sort()).toEqual(ids.sort());
  expect(await findVoidNotes(fixture.knex, await fixture.newStreamer(), ids)).toEqual(new Map());
  await fixture.eraser.erase(streamerId, ["i:line:mali"]);
  expect(await findVoidNotes(fixture.knex, streamerId, ids)).toEqual(new Map([[other.id, "มาลี โทรมา"]]));
});

test("sums, counts and unique donators are equal before and after an erasure, folded or not, and after a rebuild", async () => {
  const streamerId = await fixture.newStreamer();
  for (let i = 0; i < 40; i += 1)
    await fixture.donate(streamerId, {
      donatorName: `คนที่ ${i % 7}`,
      amount: 1 + i,
      createdAt: Date.UTC(2026, i % 12, 1 + i),
      createdOffset: 0,
    });
  const before = await figures(streamerId);
  await fixture.eraser.erase(streamerId, ["n:คนที่ 3"]);
  await fixture.eraser.erase(streamerId, ["n:คนที่ 4", "n:คนที่ 5"]);
  expect(await figures(streamerId)).toEqual(before);
  await rebuildReports(fixture.knex, streamerId);
  expect(await figures(streamerId)).toEqual(before);
});

test("a donator who donates again after an erasure is a new donator", async () => {
  const streamerId = await fixture.newStreamer();
  await fixture.donate(streamerId, mali);
  await fixture.eraser.erase(streamerId, ["i:line:mali"]);
  await fixture.donate(streamerId, mali);
  expect((await figures(streamerId)).unique).toEqual([2]);
  await fixture.eraser.erase(streamerId, ["i:line:mali"]);
  expect((await figures(streamerId)).unique).toEqual([2]);
});

test("a repeated request with an erased donation's idempotency key is that donation, and another one conflicts", async () => {
  const streamerId = await fixture.newStreamer();
  const sent = { ...mali, idempotencyKey: "order-1", amount: 50, createdAt: Date.UTC(2026, 1, 1), createdOffset: 420 };
  const first = await fixture.donate(streamerId, sent);
  await fixture.eraser.erase(streamerId, ["i:line:mali"]);
  const again = await fixture.writer.record(someDonation(streamerId, sent));
  expect(again).toMatchObject({ created: false, donation: { id: first.id, donatorName: "(erased)", message: "", identifier: null } });
  await expect(fixture.writer.record(someDonation(streamerId, { ...sent, amount: 51 }))).rejects.toMatchObject({
    code: "idempotency_key_reused",
  });
  const both = [streamerId, await fixture.newStreamer()].map((id) => fixture.writer.record(someDonation(id, sent)));
  expect((await Promise.all(both)).map(({ created }) => created)).toEqual([false, true]);
  expect(await fixture.knex("donations").where({ streamer_id: streamerId }).count("* as count")).toEqual([{ count: 1 }]);
});

test("a search finds nothing that was erased, and still finds what stands in the same block", async () => {
  const streamerId = await fixture.newStreamer();
  for (let i = 0; i < 16; i += 1) await fixture.donate(streamerId, i === 5 ? mali : { donatorName: `เพื่อน${i}`, message: "สวัสดี" });
  const sizes = { block: 8, era: 2 ** 20, batch: 8 };
  expect(await indexNext(fixture.knex, streamerId, sizes)).toBe(2);
  const grams = () => fixture.knex("donation_search_blocks").where("streamer_id", streamerId).orderBy("last_sequence").pluck("grams");
  const before = await grams();
  await fixture.eraser.erase(streamerId, ["i:line:mali"]);
  const after = await grams();
  expect([after[0].length < before[0].length, after[1]]).toEqual([true, before[1]]);
  const search = makeSearch(searchStore(fixture.knex));
  const filters = {
    range: always,
    channels: null,
    sources: ["external" as const],
    identifier: null,
    minAmount: null,
    maxAmount: null,
    status: "all" as const,
  };
  const found = async (q: string) => (await search(streamerId, { filters, after: null, limit: 100, q })).found.length;
  expect([await found("ฝากถึงแม่"), await found("mali"), await found("สวัสดี"), await found("(erased)")]).toEqual([0, 0, 15, 1]);
});

test("an erasure records donation.erased for each donation, and tells nothing of the donator in the log", async () => {
  const streamerId = await fixture.newStreamer();
  const { id } = await fixture.donate(streamerId, mali);
  await fixture.eraser.erase(streamerId, ["i:line:mali"]);
  const events = await fixture.knex("events").where({ streamer_id: streamerId });
  expect(events).toMatchObject([{ type: "donation.erased", donation_id: id }]);
  expect(JSON.stringify(events)).not.toContain("mali");
});

test("more donations than one transaction erases are all erased, and a dry run counts them before", async () => {
  const streamerId = await fixture.newStreamer();
  await Promise.all(Array.from({ length: 2_300 }, (_, i) => fixture.donate(streamerId, { ...mali, amount: 1 + (i % 9) })));
  const before = await figures(streamerId);
  expect(await fixture.eraser.count(streamerId, ["i:line:mali"])).toMatchObject({ donations: 2_300 });
  expect(await fixture.eraser.erase(streamerId, ["i:line:mali"])).toMatchObject({ donations: 2_300 });
  expect(await fixture.eraser.count(streamerId, ["i:line:mali"])).toMatchObject({ donations: 0 });
  expect(await figures(streamerId)).toEqual(before);
});

test("the journal has an erasure before it begins and after it is finished, with hashes only", async () => {
  const streamerId = await fixture.newStreamer();
  await fixture.donate(streamerId, mali);
  await fixture.eraser.erase(streamerId, ["i:line:mali"]);
  const lines = (await readFile(fixture.erasureJournal, "utf8")).trim().split("\n").slice(-2);
  expect(lines.map((line) => JSON.parse(line).type)).toEqual(["began", "finished"]);
  expect(lines.join()).not.toContain("mali");
});

test("an erasure of somebody who has not donated writes no journal", async () => {
  const streamerId = await fixture.newStreamer();
  const before = (await fixture.journal.read()).length;
  expect(await fixture.eraser.erase(streamerId, ["i:nobody"])).toEqual({ donations: 0, speeches: 0, answers: 0 });
  expect((await fixture.journal.read()).length).toBe(before);
});

/** Begins an erasure, which breaks off after its journal entry. */
async function interruptErasure(streamerId: string): Promise<void> {
  const dying = beforeStatements(fixture.knex, async (sql) => {
    if (sql.includes("update donations")) throw new Error("killed");
  });
  await expect(makeEraser({ ...fixture, knex: dying }).erase(streamerId, ["i:line:mali"])).rejects.toThrow("killed");
}

const continueAll = () => continueInterrupted(fixture, 0);

test("an erasure that was interrupted is continued from the journal, with what its donator donated meanwhile, and noted as finished", async () => {
  const streamerId = await fixture.newStreamer();
  await fixture.donate(streamerId, mali);
  await interruptErasure(streamerId);
  expect(await fixture.eraser.count(streamerId, ["i:line:mali"])).toMatchObject({ donations: 1 });
  await fixture.donate(streamerId, mali);
  const before = await figures(streamerId);
  await continueAll();
  expect(await fixture.eraser.count(streamerId, ["i:line:mali"])).toMatchObject({ donations: 0 });
  expect(await figures(streamerId)).toEqual(before);
  expect(await fixture.knex("erasures").where({ streamer_id: streamerId })).toMatchObject([
    { donations: 2, finished_at: expect.any(Date) },
  ]);
  expect((await fixture.journal.read()).at(-1)).toMatchObject({ type: "finished", streamer: streamerId });
});

test("an interrupted erasure that was repeated is not continued, so that who donates after the repetition stays", async () => {
  const streamerId = await fixture.newStreamer();
  await fixture.donate(streamerId, mali);
  await interruptErasure(streamerId);
  expect(await fixture.eraser.erase(streamerId, ["i:line:mali"])).toMatchObject({ donations: 1 });
  await fixture.donate(streamerId, mali);
  await continueAll();
  expect(await fixture.eraser.count(streamerId, ["i:line:mali"])).toMatchObject({ donations: 1 });
  expect(await fixture.knex("erasures").where({ streamer_id: streamerId, finished_at: null })).toEqual([]);
});

test("each process empties its cache of a streamer once for each erasure, also for those that end at about the same time", async () => {
  const streamers = [await fixture.newStreamer(), await fixture.newStreamer()];
  const forgotten: string[] = [];
  let seen: Seen = { at: new Date().toISOString(), ids: new Set() };
  const look = async () => {
    seen = await forgetInMemory(fixture.knex, (streamerId) => forgotten.push(streamerId), seen);
    return forgotten.splice(0).filter((id) => streamers.includes(id));
  };
  await look();
  for (const id of streamers) {
    await fixture.donate(id, mali);
    await fixture.eraser.erase(id, ["i:line:mali"]);
    expect([await look(), await look()]).toEqual([[id], []]);
  }
});

test("late copies are erased when no speech and no request of before the erasure can be under way any more", async () => {
  const streamerId = await fixture.newStreamer();
  await fixture.donate(streamerId, mali);
  await fixture.eraser.erase(streamerId, ["i:line:mali"]);
  const since: number[] = [];
  const watched = beforeStatements(fixture.knex, async (sql, values) => {
    const [of, from] = values as [string, number];
    if (sql.includes("d.created_at >= from_millis(?)") && of === streamerId) since.push(from);
  });
  const sweepAfter = async (seconds: number) => {
    const finishedAt = fixture.knex.raw("clock_timestamp() - ? * interval '1 second'", [seconds]);
    await fixture.knex("erasures").where({ streamer_id: streamerId }).update({ finished_at: finishedAt });
    await sweep(watched);
    return since.length;
  };
  // Speech waits 5 s for a free call, which takes up to 20 s. A receiver has 15 s, twice where the connection was reset.
  expect(await sweepAfter(31)).toBe(0);
  expect([await sweepAfter(90), await sweepAfter(90)]).toEqual([1, 1]);
  const { began_at: beganAt } = await fixture.knex("erasures").where({ streamer_id: streamerId }).first("began_at");
  expect(since[0]).toBeLessThan(beganAt.getTime() - 31_000);
});

/** A connection whose first transaction begins after `act`. */
function actingFirst(act: () => Promise<unknown>): Knex {
  let acted: Promise<unknown> | null = null;
  const transaction = async (work: (transaction: Knex.Transaction) => Promise<unknown>) => {
    acted ??= act();
    await acted;
    return fixture.knex.transaction(work);
  };
  return new Proxy(fixture.knex, { get: (target, name) => (name === "transaction" ? transaction : Reflect.get(target, name)) });
}

test("donations that another erasure takes between search and transaction are not erased twice: their idempotency keys stay known", async () => {
  const streamerId = await fixture.newStreamer();
  const sent = { ...mali, idempotencyKey: "order-2", amount: 50, createdAt: Date.UTC(2026, 1, 1), createdOffset: 420 };
  const { id } = await fixture.donate(streamerId, sent);
  const before = await figures(streamerId);
  const overtaken = makeEraser({ ...fixture, knex: actingFirst(() => fixture.eraser.erase(streamerId, ["i:line:mali"])) });
  expect(await overtaken.erase(streamerId, ["i:line:mali"])).toMatchObject({ donations: 0 });
  expect(await fixture.writer.record(someDonation(streamerId, sent))).toMatchObject({ created: false, donation: { id } });
  expect(await figures(streamerId)).toEqual(before);
  expect(await fixture.knex("events").where({ streamer_id: streamerId })).toHaveLength(1);
});
