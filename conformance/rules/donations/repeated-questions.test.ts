import { beforeEach, describe, expect, test } from "vitest";
import {
  expectProblem,
  get,
  list,
  listAll,
  pageOf,
  post,
  type Query,
  readDonation,
  recordSome,
  searchAll,
} from "../../suite/client/api.ts";
import { control, donate, freshQueue } from "../../suite/client/overlay/alert-controls.ts";
import { at, emptyDays, type Reports, report } from "../../suite/models/reports.ts";
import { freshIdentifier, freshKey } from "../../suite/values/donations.ts";
import { keyOf } from "../../suite/values/target.ts";

// The same question again and again, while what it asks about changes: a server that keeps its answers gives old ones here.

const rounds = 4;

describe("the same question", () => {
  test.each<[string, (identifier: string) => Promise<number>]>([
    ["a list", async (identifier) => (await listAll({ identifier })).length],
    ["a search", async (identifier) => (await searchAll({ q: identifier })).length],
  ])("%s that is asked again has each donation that was answered meanwhile", async (_, count) => {
    const identifier = freshIdentifier();
    for (let donations = 0; donations < rounds; donations += 1) {
      expect(await count(identifier)).toBe(donations);
      expect(await count(identifier)).toBe(donations);
      await post({ identifier });
    }
  });

  const counts: { [Name in keyof Reports]: (data: Reports[Name]) => number } = {
    stats: ({ count }) => count,
    "top-donators": ({ donators }) => donators.reduce((sum, { count }) => sum + count, 0),
    breakdown: ({ count }) => count,
    "trends/amount": ({ points }) => points.reduce((sum, { count }) => sum + count, 0),
    "trends/count": ({ points }) => points.reduce((sum, { count }) => sum + count, 0),
  };
  test.each(Object.keys(counts) as (keyof Reports)[])(
    "the report %s that is asked again has each donation that was answered meanwhile",
    async (name) => {
      const [day = ""] = await emptyDays(1);
      const count = counts[name] as (data: Reports[keyof Reports]) => number;
      const ask = async (): Promise<number> => count(await report(name, { from: day, to: day } as Query));
      for (let donations = 0; donations < rounds; donations += 1) {
        expect(await ask()).toBe(donations);
        expect(await ask()).toBe(donations);
        await at(`${day}T12:00:0${donations}+07:00`, { amount: 1 });
      }
    },
  );

  test("many who ask at once, while donations are recorded, never miss one that was answered before they asked", async () => {
    const identifier = freshIdentifier();
    const askAll = (): Promise<number[]> => Promise.all(Array.from({ length: 20 }, async () => (await listAll({ identifier })).length));
    for (let donations = 1; donations <= rounds; donations += 1) {
      const [, ...answers] = await Promise.all([post({ identifier }), askAll()]);
      for (const count of answers.flat()) expect([donations - 1, donations]).toContain(count);
      expect(new Set(await askAll())).toEqual(new Set([donations]));
    }
  });

  test("donations and pages that are read at the same time are each answered to who asked for them", async () => {
    const own = await Promise.all(Array.from({ length: 30 }, () => post({ identifier: freshIdentifier() })));
    const answers = await Promise.all(
      own.map(async ({ id, identifier }) => [readDonation(await get(id)), await listAll({ identifier: identifier ?? "" })]),
    );
    expect(answers).toEqual(own.map((donation) => [donation, [donation]]));
  });

  test("two applications that ask the same list see their own idempotency keys alone", async (context) => {
    const identifier = freshIdentifier();
    const idempotencyKey = freshKey();
    await post({ identifier, idempotencyKey });
    const keys = async (key?: string): Promise<unknown[]> =>
      (await listAll({ identifier }, { key })).map((donation) => donation.idempotencyKey);
    for (let round = 0; round < 2; round += 1) {
      expect(await keys()).toEqual([idempotencyKey]);
      expect(await keys(keyOf(context, "secondApplication"))).toEqual([null]);
    }
  });
});

test("a cursor that was just asked for several times is refused with another sort, also with the one that a list has by default", async () => {
  const { identifier } = await recordSome(2);
  const { nextCursor } = pageOf(await list({ identifier, sort: "receivedAt", limit: 1 })).pagination;
  const cursor = nextCursor ?? "";
  for (let round = 0; round < rounds; round += 1) expect((await list({ cursor, limit: 20 })).status).toBe(200);
  expectProblem(await list({ cursor, limit: 20, sort: "-createdAt" }), 400, "invalid_cursor");
});

describe("states of alerts", () => {
  beforeEach(() => freshQueue());

  test.each<[string, (identifier: string) => Promise<unknown>]>([
    ["a list", async (identifier) => (await listAll({ identifier }))[0]?.alert.status],
    ["a search", async (identifier) => (await searchAll({ q: identifier }))[0]?.alert.status],
  ])("%s that is asked again shows an alert's state as it is now", async (_, ask) => {
    const identifier = freshIdentifier();
    await donate({ identifier });
    for (let round = 0; round < 2; round += 1) expect(await ask(identifier)).toBe("queued");
    await control("clear");
    expect(await ask(identifier)).toBe("skipped");
  });

  test("statistics that are asked again show the state of the latest donation's alert as it is now", async () => {
    const [day = ""] = await emptyDays(1);
    const ask = async () => (await report("stats", { from: day, to: day })).latest?.alert.status;
    await donate({ createdAt: `${day}T12:00+07:00` });
    for (let round = 0; round < 2; round += 1) expect(await ask()).toBe("queued");
    await control("clear");
    expect(await ask()).toBe("skipped");
  });
});
