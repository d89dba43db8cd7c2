import fc from "fast-check";
import { expect, test } from "vitest";
import { useDatabase } from "../../db/testing.ts";
import { insertBatch } from "../record/batch.ts";
import { newStreamer, someDonation } from "../testing.ts";
import { type Bounds, chooseByAmount } from "./amount-page.ts";
import type { Filters, Position } from "./page-request.ts";

const database = useDatabase();

const donation = fc.record({
  hour: fc.nat(30),
  amount: fc.constantFrom(0.1, 0.3, 20, 20, 50, 100.25),
  channel: fc.constantFrom<"external" | "card">("external", "external", "card"),
  source: fc.constantFrom<"external" | "native" | "test">("external", "external", "native", "test"),
  identifier: fc.constantFrom(null, "a"),
  isVoid: fc.constantFrom(false, false, true),
});
const question = fc.record({
  sort: fc.constantFrom<"amount" | "-amount">("amount", "-amount"),
  from: fc.option(fc.nat(30)),
  to: fc.option(fc.nat(30)),
  minAmount: fc.option(fc.constantFrom(0.3, 20, 21)),
  maxAmount: fc.option(fc.constantFrom(0.3, 20, 21)),
  channels: fc.option(fc.constant(["card" as const])),
  identifier: fc.constantFrom(null, null, "a"),
  status: fc.constantFrom<Filters["status"]>("active", "active", "voided", "all"),
  limit: fc.integer({ min: 1, max: 9 }),
  bounds: fc.record({ examined: fc.integer({ min: 1, max: 20 }), sorted: fc.nat(40) }),
});
type Query = typeof question extends fc.Arbitrary<infer T> ? T : never;
type GivenDonation = typeof donation extends fc.Arbitrary<infer T> ? T : never;

test("the pages of a range by amount are those of a plain sort, whether a page is sorted or scanned", { timeout: 60_000 }, () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(donation, { maxLength: 40 }),
      fc.array(question, { minLength: 1, maxLength: 6 }),
      async (given, questions) => {
        const streamerId = await newStreamer(database.knex);
        await record(await newStreamer(database.knex), given); // another streamer's, of the same shape
        const recorded = await record(streamerId, given);
        for (const query of questions) {
          const { sequences, longest } = await follow(streamerId, query);
          expect(sequences).toEqual(sorted(recorded, query));
          expect(longest).toBeLessThanOrEqual(query.limit);
        }
      },
    ),
    { numRuns: 60, interruptAfterTimeLimit: 40_000, markInterruptAsFailure: false },
  ),
);

function sorted(
  recorded: (GivenDonation & { sequence: number })[],
  { sort, from, to, minAmount, maxAmount, channels, identifier, status }: Query,
) {
  const matching = recorded.filter(
    (one) =>
      one.source !== "test" &&
      one.hour >= (from ?? 0) &&
      one.hour < (to ?? 99) &&
      one.amount >= (minAmount ?? 0) &&
      one.amount <= (maxAmount ?? 999) &&
      (!channels || one.channel === "card") &&
      (status === "all" || one.isVoid === (status === "voided")) &&
      (identifier === null || one.identifier === identifier),
  );
  const rising = matching.sort((a, b) => a.amount - b.amount || a.sequence - b.sequence).map(({ sequence }) => sequence);
  return sort === "amount" ? rising : rising.reverse();
}

async function follow(streamerId: string, query: Query) {
  const { sort, from, to, limit, bounds, ...some } = query;
  const range = { from: from === null ? null : hour(from), to: to === null ? null : hour(to) };
  const filters: Filters = { ...some, range, sources: ["external", "native"] };
  const sequences: number[] = [];
  let longest = 0;
  let after: Position | null = null;
  for (let more = true, turn = 0; more; turn += 1) {
    // Every second page is chosen as if the range had become too long.
    const ways: Bounds = turn % 2 ? bounds : { ...bounds, sorted: 0 };
    const page = await chooseByAmount(database.knex, streamerId, { sort, filters, q: null, after, limit }, ways);
    sequences.push(...page.sequences);
    longest = Math.max(longest, page.sequences.length);
    after = page.last;
    more = page.hasMore;
  }
  return { sequences, longest };
}

async function record(streamerId: string, given: GivenDonation[]): Promise<(GivenDonation & { sequence: number })[]> {
  const news = given.map(({ hour: at, isVoid: _, ...one }) =>
    someDonation(streamerId, { createdAt: hour(at), createdOffset: 0, skipAlert: true, ...one }),
  );
  const rows = news.length > 0 ? await insertBatch(database.knex, news, false) : [];
  const voided = news.filter((_, index) => given[index]?.isVoid).map(({ id }) => id);
  await database.knex("donations").whereIn("id", voided).update({ voided_at: database.knex.fn.now(), void_reason: "mistake" });
  return given.map((one, index) => ({ ...one, sequence: rows.find(({ id }) => id === news[index]?.id)?.sequence as number }));
}

function hour(at: number): number {
  return Date.UTC(2024, 0, 1, at);
}
