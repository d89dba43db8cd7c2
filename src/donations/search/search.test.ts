import fc from "fast-check";
import type { Knex } from "knex";
import { expect, test } from "vitest";
import { parseInstant } from "../../base/instant.ts";
import { answerCache } from "../../db/answer-cache.ts";
import { batchedReads } from "../../db/batched-reads.ts";
import { silent, useDatabase } from "../../db/testing.ts";
import type { DonationInput, StoredDonation } from "../donation.ts";
import type { Filters, Position } from "../list/page-request.ts";
import { makeWriter, type Writer } from "../record/writer.ts";
import { newStreamer, someDonation } from "../testing.ts";
import { indexNext, rebuildSearchIndex, type Sizes, startSearchIndexer } from "./blocks.ts";
import { type Bounds, makeSearch, type Search } from "./search.ts";
import { searchStore } from "./search-store.ts";

// Small bounds and blocks, so that a few hundred donations reach every way in which a page can end.
const tiny: Bounds = { first: 10, eras: 3, blocks: 2, unindexed: 12, more: 30 };
const small: Sizes = { block: 8, era: 32, batch: 1 };

const all: Filters = {
  range: { from: null, to: null },
  channels: null,
  sources: ["external", "native"],
  identifier: null,
  minAmount: null,
  maxAmount: null,
  status: "active",
};

let knex: Knex;
let writer: Writer;

useDatabase(async (database) => {
  knex = database.knex;
  writer = makeWriter({ pool: database.pool({ max: 4, lockTimeoutMs: 250 }), log: silent });
  return () => writer.drain();
});

const letters = fc.constantFrom(
  "ก",
  "า",
  "น้",
  "ใจ",
  "\u0e33",
  "\u0e4d\u0e32",
  "Ａ",
  "a",
  "A",
  "é",
  "e\u0301",
  "ß",
  "SS",
  "Σ",
  "ς",
  "😀",
  "%",
  "_",
  "\\",
  "'",
  " ",
  "\u0001",
  "?",
);
const words = (min: number, max: number) => fc.array(letters, { minLength: min, maxLength: max }).map((parts) => parts.join(""));
const donations = fc.array(
  fc.record({
    donatorName: words(1, 4),
    message: words(0, 6),
    identifier: fc.option(words(1, 3)),
    hour: fc.nat(40),
    amount: fc.integer({ min: 1, max: 9 }),
  }),
  { minLength: 1, maxLength: 120, size: "max" },
);
const questions = fc.array(fc.record({ q: words(1, 3), minAmount: fc.option(fc.nat(9)), limit: fc.integer({ min: 1, max: 12 }) }), {
  minLength: 1,
  maxLength: 8,
});

test("the pages of a search have exactly the donations that a plain scan of all donations finds, in order", async () => {
  const search = makeSearch(searchStore(knex), tiny);
  await fc.assert(
    fc.asyncProperty(
      donations,
      questions,
      fc.boolean(),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (asked, questions, inOrder, indexed) => {
        const times = asked.map(({ hour }) => hour);
        if (inOrder) times.sort((a, b) => a - b);
        const streamerId = await newStreamer(knex);
        const stored = await record(
          streamerId,
          asked.map(({ hour: _, ...one }, index) => ({
            ...one,
            createdAt: `2024-01-01T${String(times[index]! % 24).padStart(2, "0")}:00Z`,
          })),
        );
        for (let done = 0; done + small.block <= indexed * stored.length; done += small.block) await indexNext(knex, streamerId, small);
        for (const { q, minAmount, limit } of questions) {
          const { found, longest } = await follow(search, streamerId, { q, filters: { ...all, minAmount }, limit });
          expect(found).toEqual(
            expectedDonations(stored, q)
              .filter(({ amount }) => amount >= (minAmount ?? 0))
              .map(({ sequence }) => sequence),
          );
          expect(longest).toBeLessThanOrEqual(limit);
        }
      },
    ),
    { numRuns: 60, interruptAfterTimeLimit: 40_000, markInterruptAsFailure: false },
  );
});

test("a search finds a donation that is not indexed yet", async () => {
  const streamerId = await newStreamer(knex);
  await record(
    streamerId,
    Array.from({ length: 40 }, () => ({ donatorName: "x", amount: 1 })),
  );
  await indexHistory(streamerId);
  const [last] = await record(streamerId, [{ donatorName: "น้ำใจ", amount: 1, createdAt: "2001-01-01T00:00Z" }]);
  const page = await makeSearch(searchStore(knex), tiny)(streamerId, { q: "น้ำ", filters: all, after: null, limit: 5 });
  expect(page).toMatchObject({ found: [{ sequence: last?.sequence }], last: null });
});

test("a search for a rare or absent text needs one page when a page covers all eras", async () => {
  const streamerId = await newStreamer(knex);
  await record(streamerId, [{ donatorName: "needle ๙", amount: 1, createdAt: "2020-01-01T00:00Z" }]);
  await record(
    streamerId,
    Array.from({ length: 200 }, (_, index) => ({ donatorName: "hay", amount: 1, createdAt: minute(index) })),
  );
  await indexHistory(streamerId, { ...small, era: 100 });
  const search = makeSearch(searchStore(knex), tiny);
  for (const q of ["needle", "๙", "e ๙"])
    expect((await search(streamerId, { q, filters: all, after: null, limit: 5 })).found).toHaveLength(1);
  for (const q of ["absent", "๘", "ya"])
    expect(await search(streamerId, { q, filters: all, after: null, limit: 5 })).toEqual({ found: [], last: null });
});

test("a page of a search looks up a few eras only, and the next page continues after them", async () => {
  const streamerId = await newStreamer(knex);
  const stored = await record(
    streamerId,
    Array.from({ length: 240 }, (_, index) => ({ donatorName: index < 40 ? "once" : "hay", amount: 1, createdAt: minute(index) })),
  );
  await indexHistory(streamerId);
  const store = searchStore(knex);
  const eras: number[] = [];
  const blocks: typeof store.blocks = (streamer, grams, request) => {
    eras[eras.length - 1]! += grams.length;
    return store.blocks(streamer, grams, request);
  };
  const search: Search = (...request) => {
    eras.push(0);
    return makeSearch({ ...store, blocks }, tiny)(...request);
  };
  const { found } = await follow(search, streamerId, { q: "once", filters: all, limit: 12 });
  expect(found).toEqual(expectedDonations(stored, "once").map(({ sequence }) => sequence));
  expect(Math.max(...eras)).toBe(tiny.eras);
  expect(eras.length).toBeGreaterThan(2);
});

test("a search across blocks that overlap in time finds every donation in order", async () => {
  const streamerId = await newStreamer(knex);
  const stored = await record(
    streamerId,
    Array.from({ length: 120 }, (_, index) => ({
      donatorName: index % 8 === 3 ? "far" : "x",
      amount: 1,
      createdAt: minute((index * 77) % 120),
    })),
  );
  await indexHistory(streamerId);
  const { found } = await follow(makeSearch(searchStore(knex), tiny), streamerId, { q: "far", filters: all, limit: 3 });
  expect(found).toEqual(expectedDonations(stored, "far").map(({ sequence }) => sequence));
});

test("a page is as full as ever where the database can't tell donations with the text from those without", async () => {
  const streamerId = await newStreamer(knex);
  await record(
    streamerId,
    Array.from({ length: 60 }, (_, index) => ({ donatorName: index % 4 === 0 ? "Đỗ an" : "Đỗ", amount: 1, createdAt: minute(index) })),
  );
  const page = await makeSearch(searchStore(knex), tiny)(streamerId, { q: "an", filters: all, after: null, limit: 7 });
  expect(page.found).toHaveLength(7);
});

test("a search never finds another streamer's donations", async () => {
  const [ours, theirs] = [await newStreamer(knex), await newStreamer(knex)];
  await record(
    theirs,
    Array.from({ length: 64 }, () => ({ donatorName: "canary", amount: 1 })),
  );
  await record(
    ours,
    Array.from({ length: 64 }, () => ({ donatorName: "x", amount: 1 })),
  );
  for (const streamerId of [ours, theirs]) await indexHistory(streamerId);
  const found = await makeSearch(searchStore(knex), tiny)(ours, { q: "canary", filters: all, after: null, limit: 5 });
  expect(found).toEqual({ found: [], last: null });
});

test("two indexers at once create each block once, and both stop", async () => {
  const streamerId = await newStreamer(knex);
  const stored = await record(
    streamerId,
    Array.from({ length: 1_100 }, (_, index) => ({ donatorName: `d${index}`, amount: 1 })),
  );
  const indexers = [1, 2].map(() => startSearchIndexer(knex, silent));
  const blocks = () => knex("donation_search_blocks").where({ streamer_id: streamerId }).orderBy("last_sequence");
  await expect.poll(async () => (await blocks()).length, { timeout: 20_000 }).toBe(4);
  await Promise.all(indexers.map(({ stop }) => stop()));
  expect((await blocks()).map(({ first_sequence, last_sequence }) => [first_sequence, last_sequence])).toEqual(
    [0, 1, 2, 3].map((block) => [stored[block * 256]?.sequence, stored[block * 256 + 255]?.sequence]),
  );
});

test("after the index is built again, a page that was made from the old one is not given any more", async () => {
  const streamerId = await newStreamer(knex);
  await record(
    streamerId,
    Array.from({ length: 256 }, (_, index) => ({ donatorName: `d${index}`, amount: 1 })),
  );
  await indexNext(knex, streamerId);
  const cache = answerCache(batchedReads(knex));
  const ask = async (text: string) => String(await cache({ streamerId, text: "search", showsAlerts: true }, async () => Buffer.from(text)));
  await ask("of the old index");
  await rebuildSearchIndex(knex);
  expect(await ask("of the new index")).toBe("of the new index");
  expect(await knex("donation_search_blocks").where({ streamer_id: streamerId })).toHaveLength(1);
});

/** The expected donations, newest first, by an independent statement of the rule: NFC, and case ignored. */
function expectedDonations(stored: readonly StoredDonation[], q: string): StoredDonation[] {
  const plain = (text: string) => text.normalize("NFKC").toLocaleUpperCase("en").toLocaleLowerCase("en").replace(/ς/g, "σ");
  const texts = ({ donatorName, message, identifier }: StoredDonation) => [donatorName, message, identifier ?? ""].map(plain);
  return stored
    .filter((one) => texts(one).some((text) => text.includes(plain(q))))
    .sort((a, b) => b.createdAt - a.createdAt || b.sequence - a.sequence);
}

async function follow(search: Search, streamerId: string, request: { q: string; filters: Filters; limit: number }) {
  const found: number[] = [];
  let longest = 0;
  let after: Position | null = null;
  do {
    const page = await search(streamerId, { ...request, after });
    found.push(...page.found.map(({ sequence }) => sequence));
    longest = Math.max(longest, page.found.length);
    after = page.last;
  } while (after);
  return { found, longest };
}

async function indexHistory(streamerId: string, sizes: Sizes = small): Promise<void> {
  while ((await indexNext(knex, streamerId, sizes)) > 0);
}

type GivenDonation = Pick<DonationInput, "donatorName" | "amount"> & { message?: string; identifier?: string | null; createdAt?: string };

/** Records them in this order. */
async function record(streamerId: string, given: readonly GivenDonation[]): Promise<StoredDonation[]> {
  const asked = given.map(({ createdAt, identifier, ...one }) => {
    const created = createdAt === undefined ? null : parseInstant(createdAt);
    const when = { createdAt: created?.ms ?? null, createdOffset: created?.offset ?? null };
    return someDonation(streamerId, { skipAlert: true, ...one, identifier: identifier ?? null, ...when });
  });
  const recorded = await Promise.all(asked.map((one) => writer.record(one)));
  return recorded.map(({ donation }) => donation).sort((a, b) => a.sequence - b.sequence);
}

function minute(index: number): string {
  return new Date(Date.UTC(2024, 0, 1, 0, index)).toISOString();
}
