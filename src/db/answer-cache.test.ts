import { expect, test } from "vitest";
import { insertBatch } from "../donations/record/batch.ts";
import { streamerStore } from "../donations/streamers.ts";
import { someDonation } from "../donations/testing.ts";
import { answerCache, repeatCache } from "./answer-cache.ts";
import { type BatchedReads, batchedReads } from "./batched-reads.ts";
import { useDatabase } from "./testing.ts";

/** A streamer whose counters the test moves. */
function fakeStreamer() {
  const counters = { recorded: 1, alerts: 1 };
  const reads = (async () => [{ ...counters }]) as unknown as BatchedReads;
  return { counters, reads };
}

const key = { streamerId: "s", text: "stats", showsAlerts: false };
const answerOf = (text: string) => async () => Buffer.from(text);

test("an answer is made once for as long as nothing is recorded", async () => {
  const { reads } = fakeStreamer();
  const cache = answerCache(reads);
  expect(String(await cache(key, answerOf("first")))).toBe("first");
  expect(String(await cache(key, answerOf("second")))).toBe("first");
});

test("an answer is made anew after a donation was recorded, and when it shows alerts after one of them has moved", async () => {
  const { counters, reads } = fakeStreamer();
  const cache = answerCache(reads);
  const list = { ...key, text: "list", showsAlerts: true };
  await cache(key, answerOf("1"));
  await cache(list, answerOf("1"));
  counters.alerts = 2;
  expect(String(await cache(key, answerOf("2")))).toBe("1");
  expect(String(await cache(list, answerOf("2")))).toBe("2");
  counters.recorded = 2;
  expect(String(await cache(key, answerOf("3")))).toBe("3");
  expect(String(await cache(list, answerOf("3")))).toBe("3");
});

test("callers who ask the same while the answer is being made share it, unless a donation was recorded between them", async () => {
  const { counters, reads } = fakeStreamer();
  const cache = answerCache(reads);
  const slow = Promise.withResolvers<Buffer>();
  const first = cache(key, () => slow.promise);
  await Promise.resolve();
  const second = cache(key, answerOf("not made"));
  await new Promise(setImmediate);
  counters.recorded = 2;
  const third = cache(key, answerOf("after the donation"));
  expect(String(await third)).toBe("after the donation");
  slow.resolve(Buffer.from("before the donation"));
  expect(String(await first)).toBe("before the donation");
  expect(String(await second)).toBe("before the donation");
  expect(String(await cache(key, answerOf("not made")))).toBe("after the donation");
});

test("what several answers need is made once for as long as nothing is recorded", async () => {
  const { counters, reads } = fakeStreamer();
  const cache = answerCache(reads);
  let made = 0;
  const history = async () => ({ byteLength: 100, made: (made += 1) });
  const ask = (text: string) =>
    cache({ ...key, text }, async (_, shared) => Buffer.from(`${text} ${(await shared("history", history)).made}`));
  expect([String(await ask("stats")), String(await ask("top"))]).toEqual(["stats 1", "top 1"]);
  counters.recorded = 2;
  expect([String(await ask("stats")), String(await ask("top"))]).toEqual(["stats 2", "top 2"]);
});

test("what could not be made is made again by the next caller", async () => {
  const { reads } = fakeStreamer();
  const cache = answerCache(reads);
  await expect(cache(key, async () => Promise.reject(new Error("no database")))).rejects.toThrow("no database");
  expect(String(await cache(key, answerOf("made")))).toBe("made");
});

test("the least recently used answers make room when the limit of bytes is reached", async () => {
  const { reads } = fakeStreamer();
  const cache = answerCache(reads, 3_000);
  const ask = (name: string, text: string) => cache({ ...key, text: name }, answerOf(text.padEnd(100)));
  await ask("a", "1");
  await ask("b", "1");
  await ask("a", "2"); // used again
  await ask("c", "1");
  expect(String(await ask("a", "3")).trim()).toBe("1");
  expect(String(await ask("b", "3")).trim()).toBe("3");
});

test("many small answers are counted with what it costs to cache them", async () => {
  const { reads } = fakeStreamer();
  const cache = answerCache(reads, 100_000);
  const ask = (number: number, text: string) => cache({ ...key, text: `question ${number}` }, answerOf(text));
  for (let number = 0; number < 200; number += 1) await ask(number, "{}");
  expect(String(await ask(199, "new"))).toBe("{}");
  expect(String(await ask(0, "new"))).toBe("new");
});

test("a cached answer holds no memory beside its own", async () => {
  const { reads } = fakeStreamer();
  const cache = answerCache(reads);
  const made = Buffer.from("a short text, for which Node.js uses a part of a larger block");
  expect(made.buffer.byteLength).toBeGreaterThan(made.byteLength);
  const answer = await cache(key, async () => made);
  expect(answer).toEqual(made);
  expect(answer.buffer.byteLength).toBe(made.byteLength);
});

const listed = { streamerId: "s", text: "list", showsAlerts: true };

/** Answers of a streamer whose counters the test moves, and how often the counters were read. */
function setting(limit?: number) {
  const counters = { recorded: 1, alerts: 1 };
  const counted = { reads: 0 };
  const reads = (async () => {
    counted.reads += 1;
    return [{ ...counters }];
  }) as unknown as BatchedReads;
  const cached = repeatCache(answerCache(reads), limit);
  const ask = async (answer: string, of: Partial<typeof listed> = {}) => String(await cached({ ...listed, ...of }, async () => answer));
  return { counters, counted, ask };
}

test("an answer that is requested once reads no counters, and is cached from the second time on", async () => {
  const { counted, ask } = setting();
  expect(await ask("1")).toBe("1");
  expect(counted.reads).toBe(0);
  expect(await ask("2")).toBe("2");
  expect(await ask("3")).toBe("2");
  expect(counted.reads).toBe(2);
});

test("a cached answer is used until the next donation and the next move of an alert", async () => {
  const { counters, ask } = setting();
  for (const answer of ["1", "2"]) await ask(answer);
  counters.recorded = 2;
  expect(await ask("3")).toBe("3");
  counters.alerts = 2;
  expect(await ask("4")).toBe("4");
  expect(await ask("5")).toBe("4");
});

test("the same request about another streamer is not a repeated one", async () => {
  const { counted, ask } = setting();
  await ask("1");
  expect(await ask("2", { streamerId: "t" })).toBe("2");
  expect(counted.reads).toBe(0);
});

test("a request is forgotten when many others have come since", async () => {
  const { counted, ask } = setting(4);
  await ask("1");
  for (let number = 0; number < 100; number += 1) await ask("other", { text: `other ${number}` });
  await ask("2");
  expect(counted.reads).toBe(0);
});

test("what can't be made is rejected, the first time and later", async () => {
  const cached = repeatCache(answerCache((async () => [{ recorded: 1, alerts: 1 }]) as unknown as BatchedReads));
  for (let time = 0; time < 3; time += 1)
    await expect(cached(listed, async () => Promise.reject(new Error("no database")))).rejects.toThrow("no database");
});

const database = useDatabase();

const tables = ["streamers", "donations", "alerts", "events", "overlays"];

async function saveAll(): Promise<void> {
  for (const table of tables) await database.knex.raw(`create table saved_${table} as table ${table}`);
}

/** The rows as they were, as after a restore or the promotion of a standby. Triggers do not fire. */
async function restoreAll(): Promise<void> {
  await database.knex.transaction(async (trx) => {
    await trx.raw("set local session_replication_role = replica");
    for (const table of tables) await trx.raw(`delete from ${table}`);
    for (const table of tables) await trx.raw(`insert into ${table} select * from saved_${table}`);
    for (const table of tables) await trx.raw(`drop table saved_${table}`);
  });
}

test.each([
  ["a donation", (streamerId: string) => insertBatch(database.knex, [someDonation(streamerId, {})], false)],
  ["a moved alert", (streamerId: string) => database.knex.raw("update alerts set status = 'expired' where streamer_id = ?", [streamerId])],
])("an answer that %s was lost with does not come back when the database has been restored under a running server", async (_, change) => {
  const { id: streamerId } = await streamerStore(database.knex).create(`s${Math.random().toString(36).slice(2)}`);
  await insertBatch(database.knex, [someDonation(streamerId, {})], false);
  const cache = answerCache(batchedReads(database.knex));
  const ask = async (text: string) => String(await cache({ streamerId, text: "list", showsAlerts: true }, async () => Buffer.from(text)));
  await database.knex.raw("update alerts set status = 'skipped' where streamer_id = ?", [streamerId]);
  await saveAll();
  await change(streamerId);
  expect(await ask("of what was lost")).toBe("of what was lost");
  await restoreAll();
  await change(streamerId);
  expect(await ask("of what is there")).toBe("of what is there");
});
