import fc from "fast-check";
import type { Knex } from "knex";
import { expect, test } from "vitest";
import { batchedReads } from "../../db/batched-reads.ts";
import { onPrimary } from "../../db/exact-reads.ts";
import { useDatabase } from "../../db/testing.ts";
import { cursorCodec } from "../../http/cursor.ts";
import { insertBatch } from "../record/batch.ts";
import { makeSearch } from "../search/search.ts";
import { searchStore } from "../search/search-store.ts";
import { donationStore } from "../store.ts";
import { newStreamer, someDonation } from "../testing.ts";
import { type SumFound, type SumStep, sumFound } from "./sum-found.ts";

let knex: Knex;
let sum: SumFound;

useDatabase(async (database) => {
  knex = database.knex;
  const search = makeSearch(searchStore(knex), { first: 3, eras: 3, blocks: 2, unindexed: 12, more: 5 });
  const read = onPrimary({ donations: donationStore(knex, batchedReads(knex)), search });
  sum = sumFound(read, cursorCodec(Buffer.alloc(32, 7)), { examined: 4, matches: 2 });
});

const donation = fc.record({
  minute: fc.nat(8), // many of one instant
  cents: fc.constantFrom<number>(10, 20, 30, 1_999, 100_000_000),
  donatorName: fc.constantFrom("Malee", "malee", "Somchai"),
  source: fc.constantFrom<"external" | "test">("external", "external", "test"),
  isVoid: fc.constantFrom(false, false, true),
});
const question = fc.record({
  q: fc.constantFrom(undefined, "malee", "absent"),
  minAmount: fc.constantFrom<number | undefined>(undefined, 0.2),
  status: fc.constantFrom<"active" | "voided" | "all">("active", "voided", "all"),
  source: fc.constantFrom<("external" | "test")[]>(["external"], ["external", "test"]),
});
type Given = typeof donation extends fc.Arbitrary<infer T> ? T : never;
type Question = typeof question extends fc.Arbitrary<infer T> ? T : never;

test("the steps of a sum add up exactly what the filters and the text find, void ones apart, without an error of floating point", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(donation, { maxLength: 30 }),
      fc.array(question, { minLength: 1, maxLength: 5 }),
      async (given, questions) => {
        const streamerId = await record(given);
        for (const query of questions) {
          const { last, partial } = await follow(streamerId, query);
          expect(last).toEqual(expected(given, query));
          for (const step of partial)
            expect(step.count + (step.voided?.count ?? 0)).toBeLessThanOrEqual(last.count + (last.voided?.count ?? 0));
        }
      },
    ),
    { numRuns: 25, interruptAfterTimeLimit: 20_000, markInterruptAsFailure: false },
  ));

test("a step examines a bounded number of donations, and a donation that comes meanwhile is added if its place is still ahead", async () => {
  const streamerId = await record(Array.from({ length: 9 }, (_, index) => plain(index + 1)));
  const query = { status: "active", source: ["external"] } as const;
  const first = await sum(streamerId, { query: toQuery(query), from: null });
  expect(first).toMatchObject({ count: 4, total: 4, voided: null });
  await record([plain(20), plain(0)], streamerId);
  const second = await sum(streamerId, { query: toQuery(query), from: first.next });
  const third = await sum(streamerId, { query: toQuery(query), from: second.next });
  expect([second.count, third]).toEqual([8, { count: 10, total: 10, voided: null, next: null }]);
});

test("a sum is continued by its own streamer and with its own filters only", async () => {
  const streamerId = await record(Array.from({ length: 9 }, (_, index) => plain(index)));
  const query = { status: "all", source: ["external"] } as const;
  const { next } = await sum(streamerId, { query: toQuery(query), from: null });
  const refused = { code: "invalid_cursor" };
  await expect(sum(await record([]), { query: toQuery(query), from: next })).rejects.toMatchObject(refused);
  await expect(sum(streamerId, { query: toQuery({ ...query, q: "a" }), from: next })).rejects.toMatchObject(refused);
  await expect(sum(streamerId, { query: toQuery({ ...query, status: "active" }), from: next })).rejects.toMatchObject(refused);
  await expect(sum(streamerId, { query: toQuery(query), from: `${next}A` })).rejects.toMatchObject(refused);
});

const plain = (minute: number): Given => ({ minute, cents: 100, donatorName: "Malee", source: "external", isVoid: false });

function toQuery({
  source,
  ...others
}: Omit<Question, "q" | "minAmount" | "source"> & { q?: string; source: readonly Question["source"][number][] }) {
  return { timezone: "Asia/Bangkok", ...others, source: [...source] };
}

async function follow(streamerId: string, { q, minAmount, ...query }: Question): Promise<{ last: SumStep; partial: SumStep[] }> {
  const partial: SumStep[] = [];
  const asked = { ...toQuery(query), ...(q !== undefined && { q }), ...(minAmount !== undefined && { minAmount }) };
  let last = await sum(streamerId, { query: asked, from: null });
  while (last.next !== null) {
    partial.push(last);
    last = await sum(streamerId, { query: asked, from: last.next });
  }
  return { last, partial };
}

function expected(given: readonly Given[], { q, minAmount = 0, status, source }: Question): SumStep {
  const found = given.filter(
    (one) =>
      source.includes(one.source) &&
      one.cents >= minAmount * 100 &&
      (status === "all" || one.isVoid === (status === "voided")) &&
      (q === undefined || one.donatorName.toLowerCase().includes(q)),
  );
  const of = (some: readonly Given[]) => ({ count: some.length, total: some.reduce((cents, one) => cents + one.cents, 0) / 100 });
  const voided = status === "active" ? null : of(found.filter(({ isVoid }) => isVoid));
  return { ...of(found.filter(({ isVoid }) => !isVoid)), voided, next: null };
}

async function record(given: readonly Given[], ofStreamer?: string): Promise<string> {
  const streamerId = ofStreamer ?? (await newStreamer(knex));
  const news = given.map(({ minute, cents, donatorName, source }) =>
    someDonation(streamerId, {
      createdAt: Date.UTC(2024, 0, 1, 0, minute),
      createdOffset: 0,
      skipAlert: true,
      amount: cents / 100,
      donatorName,
      source,
    }),
  );
  if (news.length > 0) await insertBatch(knex, news, false);
  const voided = news.filter((_, index) => given[index]?.isVoid).map(({ id }) => id);
  await knex("donations").whereIn("id", voided).update({ voided_at: knex.fn.now(), void_reason: "mistake" });
  return streamerId;
}
