import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import { expect, test } from "vitest";
import { batchedReads } from "../../db/batched-reads.ts";
import type { Database } from "../../db/database.ts";
import { silent, useDatabase } from "../../db/testing.ts";
import type { StoredDonation } from "../donation.ts";
import type { FilterQuery, Filters, Position, Sort } from "../list/page-request.ts";
import { makeWriter, type Writer } from "../record/writer.ts";
import { donationStore } from "../store.ts";
import { streamerStore } from "../streamers.ts";
import { someDonation } from "../testing.ts";
import { endWhenTooSlow, type HistoryRow, historyReader, type ReaderPatience } from "./history.ts";

let database: Database;
let knex: Knex;
let writer: Writer;
let streamerId: string;
let stored: StoredDonation[];

const count = 2_600;
const query: FilterQuery = { timezone: "UTC", source: ["external", "native"], status: "active" };
const filters: Filters = {
  range: { from: null, to: null },
  channels: null,
  sources: ["external", "native"],
  identifier: null,
  minAmount: null,
  maxAmount: null,
  status: "active",
};

// More than a batch, with many equal times and amounts.
useDatabase(async (opened) => {
  database = opened;
  knex = database.knex;
  writer = makeWriter({ pool: database.pool({ max: 4, lockTimeoutMs: 250 }), log: silent });
  streamerId = (await streamerStore(knex).create("history")).id;
  stored = await record(streamerId, count);
  return () => writer.drain();
});

const sorts: Sort[] = ["createdAt", "-createdAt", "receivedAt", "-receivedAt", "amount", "-amount"];

test.each(sorts)("a history by %s has every donation once, in order", async (sort) => {
  const history = await historyReader(pool(), 1)({ streamerId, applicationId: streamerId, sort, query });
  expect((await rowsOf(history)).map(({ id }) => id)).toEqual(inOrder(stored, sort).map(({ id }) => id));
});

test("a history is one snapshot: donations recorded while it is read are not in it", async () => {
  const open = historyReader(pool(), 1);
  const history = await open({ streamerId, applicationId: streamerId, sort: "receivedAt", query });
  const batches = history.batches[Symbol.asyncIterator]();
  const first = (await batches.next()).value as HistoryRow[];
  const late = await record(streamerId, 3);
  let read = first.length;
  for (let next = await batches.next(); !next.done; next = await batches.next()) read += next.value.length;
  expect(read).toBe(stored.length);
  stored.push(...late);
});

test("a history without a free slot is refused with unavailable and Retry-After, and a closed history frees its slot and its connection", async () => {
  const own = pool();
  const open = historyReader(own, 1, { timeoutMs: 100 });
  const request = { streamerId, applicationId: streamerId, sort: "createdAt", query } as const;
  for (let round = 0; round < 3; round += 1) {
    const history = await open(request);
    await expect(open(request)).rejects.toMatchObject({ code: "unavailable", extras: { headers: { "Retry-After": "10" } } });
    history.close();
    history.close();
  }
  await expect.poll(() => own.client.pool.numUsed()).toBe(0);
});

test("an export whose client reads slowly gives its slot to one that waits, and to nobody else", async () => {
  const other = (await streamerStore(knex).create("slow-history")).id;
  const own = pool();
  const open = historyReader(own, 1, { patience: { inAllMs: 60_000, graceMs: 100, msPerRow: 0.001, lookMs: 10 } });
  const slow = await open({ streamerId, applicationId: streamerId, sort: "createdAt", query });
  const batches = slow.batches[Symbol.asyncIterator]();
  await batches.next();
  await sleep(300);
  await batches.next(); // nobody has waited
  const next = await open({ streamerId: other, applicationId: other, sort: "createdAt", query });
  await expect(batches.next()).rejects.toThrow("too slowly");
  next.close();
  await expect.poll(() => own.client.pool.numUsed()).toBe(0);
});

test("a streamer has one export at a time in all processes, and other streamers do not wait for it", async () => {
  const other = (await streamerStore(knex).create("another-history")).id;
  const [one, two] = [historyReader(pool(), 2), historyReader(pool(), 2)];
  const request = { streamerId, applicationId: streamerId, sort: "createdAt", query } as const;
  const history = await one(request);
  for (const open of [one, two])
    await expect(open(request)).rejects.toMatchObject({ code: "rate_limited", extras: { headers: { "Retry-After": "10" } } });
  (await one({ ...request, streamerId: other })).close();
  history.close();
  for (const open of [one, two]) (await open(request)).close();
});

test("a history with an invalid range occupies no slot", async () => {
  const open = historyReader(pool(), 1, { timeoutMs: 100 });
  const request = { streamerId, applicationId: streamerId, sort: "createdAt" } as const;
  for (let round = 0; round < 2; round += 1)
    await expect(open({ ...request, query: { ...query, from: "2024-02-02", to: "2024-02-01" } })).rejects.toMatchObject({
      code: "invalid_range",
    });
  (await open({ ...request, query })).close();
});

test("a list whose last examined row is a match says that there are more", async () => {
  const ordered = inOrder(stored, "-receivedAt");
  // The 2,000th donation that the page looks at is the only one that matches, and another follows.
  for (const at of [1_999, 2_200])
    await knex("donations").where({ streamer_id: streamerId, id: ordered[at]?.id }).update({ identifier: "needle" });
  const found: string[] = [];
  let after: Position | null = null;
  for (let more = true; more; ) {
    const page = await donationStore(knex, batchedReads(knex)).page(streamerId, {
      sort: "-receivedAt",
      filters: { ...filters, identifier: "needle" },
      q: null,
      after,
      limit: 20,
    });
    found.push(...page.donations.map(({ id }) => id));
    more = page.hasMore;
    after = page.last;
  }
  expect(found).toEqual([ordered[1_999]?.id, ordered[2_200]?.id]);
});

const usual: ReaderPatience = { inAllMs: 10_000, graceMs: 200, msPerRow: 0, lookMs: 5 };

async function* rows(count: number): AsyncIterable<number[]> {
  for (let row = 0; row < count; row += 1) yield [row];
}

/** Reads ten rows with a pause after each. Returns how many were read, and whether the export was ended. */
async function readSlowly(pauseMs: number, changes: Partial<ReaderPatience>, othersWait = true) {
  let [read, isEnded] = [0, false];
  const watched = { patience: { ...usual, ...changes }, othersWait: () => othersWait, end: () => void (isEnded = true) };
  try {
    for await (const _ of endWhenTooSlow(rows(10), watched)) {
      read += 1;
      await sleep(pauseMs);
    }
  } catch {}
  return { read, isEnded };
}

test("an export is ended when its client has kept others waiting for longer than its rows allow, all pauses together", async () => {
  const { read, isEnded } = await readSlowly(60, {});
  expect(isEnded).toBe(true);
  expect(read).toBeLessThan(10);
});

test("an export goes on while nobody waits for its place, and while its client is fast enough for its rows", async () => {
  expect(await readSlowly(30, {}, false)).toEqual({ read: 10, isEnded: false });
  expect(await readSlowly(30, { msPerRow: 10_000 })).toEqual({ read: 10, isEnded: false });
});

test("an export that waits for its client for too long altogether is ended, even when nobody waits for its place", async () => {
  expect((await readSlowly(60, { inAllMs: 200 }, false)).isEnded).toBe(true);
});

function pool(): Knex {
  return database.pool({ max: 2 });
}

async function rowsOf(history: { batches: AsyncIterable<HistoryRow[]>; close: () => void }): Promise<HistoryRow[]> {
  const rows: HistoryRow[] = [];
  for await (const batch of history.batches) rows.push(...batch);
  history.close();
  return rows;
}

function inOrder(donations: readonly StoredDonation[], sort: Sort): StoredDonation[] {
  const keys = { createdAt: "createdAt", receivedAt: "sequence", amount: "amount" } as const;
  const key = keys[sort.replace("-", "") as keyof typeof keys];
  const rising = [...donations].sort((a, b) => a[key] - b[key] || a.sequence - b.sequence);
  return sort.startsWith("-") ? rising.reverse() : rising;
}

async function record(owner: string, number: number): Promise<StoredDonation[]> {
  const one = (index: number) =>
    someDonation(owner, {
      amount: 1 + (index % 7),
      skipAlert: true,
      createdAt: Date.UTC(2024, 0, 1 + ((index * 31) % 40)),
      createdOffset: 0,
    });
  const recorded = await Promise.all(Array.from({ length: number }, (_, index) => writer.record(one(index))));
  return recorded.map(({ donation }) => donation);
}
