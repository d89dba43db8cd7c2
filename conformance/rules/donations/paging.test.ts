import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Donation,
  expectProblem,
  faultsOf,
  ids,
  list,
  listAll,
  type Page,
  pageOf,
  post,
  type Query,
  recordSome,
  search,
  searchAll,
} from "../../suite/client/api.ts";
import { holds, holdsForEach } from "../../suite/client/holds.ts";
import { maxAmount } from "../../suite/contract/interface.ts";
import { at, emptyDays, report } from "../../suite/models/reports.ts";
import { freshIdentifier, tiniest } from "../../suite/values/donations.ts";
import { keyOf } from "../../suite/values/target.ts";

const sorts = ["createdAt", "-createdAt", "receivedAt", "-receivedAt", "amount", "-amount"] as const;

type Key = (one: Donation, recordedAs: number) => number;
const sortKeys: Record<string, Key> = {
  createdAt: ({ createdAt }) => Date.parse(createdAt),
  receivedAt: (_, recordedAs) => recordedAs,
  amount: ({ amount }) => amount,
};

/** The documented order: equal values in the order of recording; `-` reverses all of it. */
function inOrder(donations: Donation[], sort: string): string[] {
  const key = sortKeys[sort.replace("-", "")] as Key;
  const ranked = donations.map((one, index) => ({ id: one.id, rank: key(one, index), index }));
  const rising = ranked.sort((a, b) => a.rank - b.rank || a.index - b.index).map(({ id }) => id);
  return sort.startsWith("-") ? rising.reverse() : rising;
}

describe.each(sorts)("sort=%s", (sort) => {
  test("pages of any size show every donation once, in order", async () => {
    const { identifier, donations } = await recordSome(12);
    for (const limit of [1, 2, 5, 12, 100]) expect(ids(await listAll({ identifier, sort, limit }))).toEqual(inOrder(donations, sort));
  });

  test("donations that arrive between two pages move nothing: each earlier one is seen once", async () => {
    const { identifier, donations } = await recordSome(9);
    const seen: string[] = [];
    const onward = newPath();
    let cursor: Query = {};
    for (let page = 1, more = true; more; page += 1) {
      const { data, pagination } = pageOf(await list({ identifier, sort, limit: 2, ...cursor }));
      seen.push(...ids(data));
      if (page < 10) await Promise.all([post({ identifier, amount: 2, createdAt: "2024-02-01T00:00Z" }), post({ identifier })]);
      more = pagination.hasMore;
      if (more) cursor = { cursor: onward(pagination) };
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(donations.filter(({ id }) => seen.includes(id)).length).toBe(donations.length);
  });

  test("the last page has hasMore false, and a cursor only where receivedAt can be polled", async () => {
    const { identifier } = await recordSome(3);
    const queries: Query[] = [
      { identifier, sort, limit: 3 },
      { identifier, sort },
      { identifier: freshIdentifier(), sort },
    ];
    for (const query of queries) {
      const { hasMore, nextCursor } = await lastPage(query);
      expect([hasMore, nextCursor === null]).toEqual([false, !sort.endsWith("receivedAt")]);
    }
  });
});

test.each(["createdAt", "-createdAt"])("sort=%s: a page that holds all of its range is the last", async (sort) => {
  const [day = ""] = await emptyDays(1);
  for (const time of ["10:00", "11:00", "12:00"]) await at(`${day}T${time}+07:00`);
  const hasMore = async (limit: number) => pageOf(await list({ from: day, to: day, sort, limit })).pagination.hasMore;
  expect([await hasMore(2), await hasMore(3), await hasMore(4)]).toEqual([true, false, false]);
});

test.each(sorts)("sort=%s: pages of any size show all of a range once, in order", async (sort) => {
  const [day = ""] = await emptyDays(1);
  const donations = [];
  for (let index = 0; index < 12; index += 1)
    donations.push(await at(`${day}T1${(index * 5) % 3}:00+07:00`, { amount: 1 + ((index * 7) % 5) / 2 }));
  for (const limit of [1, 2, 5, 12, 100]) {
    const all = await listAll({ from: day, to: `${day}T23:00+07:00`, sort, limit });
    expect(ids(all)).toEqual(inOrder(donations, sort));
  }
});

test("donations of one millisecond stand in the order of recording, whatever their further digits say, in lists and as the latest of stats", async () => {
  const [day = ""] = await emptyDays(1);
  const donations = [];
  for (const fraction of ["0009", "0001", "0005"]) donations.push(await at(`${day}T12:00:00.${fraction}+07:00`));
  const range = { from: day, to: day };
  for (const limit of [1, 2, 100]) {
    expect(ids(await listAll({ ...range, sort: "createdAt", limit }))).toEqual(ids(donations));
    expect(ids(await listAll({ ...range, sort: "-createdAt", limit }))).toEqual(ids(donations).reverse());
  }
  expect((await report("stats", range)).latest?.id).toBe(donations.at(-1)?.id);
});

test("amounts are ordered and filtered as numbers, from the smallest double to the largest amount", async () => {
  const [day = ""] = await emptyDays(1);
  const rising = [tiniest, 1e-7, 2.5, 9, 10, 99.75, 99.75000000000001, maxAmount]; // to the last bit
  for (const place of [3, 6, 1, 5, 7, 0, 4, 2]) await at(`${day}T12:00+07:00`, { amount: rising[place] });
  const amounts = async (query: Query) => (await listAll({ from: day, to: day, ...query })).map(({ amount }) => amount);
  for (const limit of [2, 100]) {
    expect(await amounts({ sort: "amount", limit })).toEqual(rising);
    expect(await amounts({ sort: "-amount", limit })).toEqual(rising.toReversed());
    expect(await amounts({ sort: "amount", limit, minAmount: 9 })).toEqual(rising.slice(-5));
    expect(await amounts({ sort: "amount", limit, maxAmount: 9 })).toEqual(rising.slice(0, 4));
  }
});

test("the cursor of an empty page goes on where the list ended, and not at its beginning", async () => {
  const { identifier } = await recordSome(3);
  const end = await lastPage({ identifier, sort: "receivedAt" });
  const empty = pageOf(await list({ cursor: end.nextCursor ?? "" }));
  expect(empty.data).toEqual([]);
  const { id } = await post({ identifier });
  expect(ids(pageOf(await list({ cursor: empty.pagination.nextCursor ?? "" })).data)).toEqual([id]);
});

/** Returns the cursor of the next page; fails where one comes again. */
function newPath(): (pagination: Page["pagination"]) => string {
  const passed = new Set<string | null>();
  return ({ nextCursor }) => {
    expect(passed.has(nextCursor), "a cursor leads back to where it was: pages without end").toBe(false);
    passed.add(nextCursor);
    return nextCursor ?? "";
  };
}

async function lastPage(query: Query): Promise<Page["pagination"]> {
  let { pagination } = pageOf(await list(query));
  const onward = newPath();
  while (pagination.hasMore) ({ pagination } = pageOf(await list({ ...query, cursor: onward(pagination) })));
  return pagination;
}

test("the default order of a list is -createdAt", async () => {
  const { identifier, donations } = await recordSome(6);
  expect(ids(await listAll({ identifier }))).toEqual(inOrder(donations, "-createdAt"));
});

test("a poller of receivedAt misses no donation and sees none twice while many arrive concurrently", async () => {
  const [identifier, seen]: [string, Donation[]] = [freshIdentifier(), []];
  let { nextCursor } = await lastPage({ identifier, sort: "receivedAt" });
  let sending = true;
  const sent = holdsForEach(Array.from({ length: 300 }), () => post({ identifier }), 24).finally(() => (sending = false));
  sent.catch(() => {}); // it may fail before it is awaited
  for (let more = true; more || sending; ) {
    const page = pageOf(await list({ cursor: nextCursor ?? "", limit: 50 }));
    seen.push(...page.data);
    more = sending || page.pagination.hasMore;
    nextCursor = page.pagination.nextCursor;
  }
  await sent;
  seen.push(...pageOf(await list({ cursor: nextCursor ?? "", limit: 100 })).data);
  expect([seen.length, new Set(ids(seen)).size]).toEqual([300, 300]);
  expect(seen.map(({ receivedAt }) => receivedAt)).toEqual(seen.map(({ receivedAt }) => receivedAt).sort());
});

/** The cursor after the first donation of the list, or the one at its end. */
async function cursorOf(query: Query, key?: string): Promise<string> {
  let page = pageOf(await list({ limit: 1, sort: "receivedAt", ...query }, { key }));
  const onward = newPath();
  while (page.data.length === 0 && page.pagination.hasMore)
    page = pageOf(await list({ limit: 1, cursor: onward(page.pagination) }, { key }));
  return page.pagination.nextCursor ?? "";
}

test("a cursor carries its sort and filters: other parameters may be left out or repeated, limit may change", async () => {
  const { identifier, donations } = await recordSome(4);
  const cursor = await cursorOf({ identifier, minAmount: 1 });
  const repeated: Query[] = [{}, { identifier }, { sort: "receivedAt", identifier, minAmount: 1 }, { limit: 2 }];
  for (const query of repeated) expect(ids(await listAll({ cursor, limit: 100, ...query }))).toEqual(ids(donations.slice(1)));
  for (const limit of [1, 2, 100]) {
    const { data, pagination } = pageOf(await list({ cursor, limit }));
    expect([pagination.limit, data.length <= limit], `limit ${limit}`).toEqual([limit, true]);
  }
  expect(pageOf(await list({ cursor })).pagination.limit, "without a limit it is the default again").toBe(20);
});

test.each<[string, Query]>([
  ["sort", { sort: "-receivedAt" }],
  ["identifier", { identifier: "other" }],
  ["minAmount", { minAmount: 2 }],
  ["maxAmount", { maxAmount: 2 }],
  ["channel", { channel: "external" }],
  ["source", { source: "external" }],
  ["from", { from: "2024-01-01" }],
  ["to", { to: "2024-12-31" }],
  ["status", { status: "all" }],
  ["timezone", { timezone: "UTC" }],
])("a cursor with another %s is refused with invalid_cursor", async (_, query) => {
  const cursor = await cursorOf({ identifier: freshIdentifier() });
  expectProblem(await list({ cursor, ...query }), 400, "invalid_cursor");
});

test("a cursor with several other parameters is refused with each of them named", async () => {
  const cursor = await cursorOf({ identifier: freshIdentifier() });
  const reply = await list({ cursor, minAmount: 2, sort: "amount", timezone: "UTC", limit: 3 });
  expect(faultsOf(reply).map((fault) => fault.split(" ")[0])).toEqual(["minAmount", "sort", "timezone"]);
});

test("a cursor may be repeated with its lists in any order, and with limits of its own", async () => {
  const identifier = freshIdentifier();
  for (const channel of [
    ["card", "external"],
    ["external", "promptpay", "card"],
  ])
    for (const source of [
      ["native", "external"],
      ["external", "test", "native"],
    ]) {
      const cursor = await cursorOf({ identifier, channel, source });
      const again = { cursor, identifier, channel: channel.toReversed(), source: source.toReversed(), limit: 3 };
      expect((await list(again)).status).toBe(200);
    }
});

test("a cursor of another streamer is refused with invalid_cursor", async (context) => {
  const cursor = await cursorOf({}, keyOf(context, "other"));
  expectProblem(await list({ cursor }), 400, "invalid_cursor");
});

test("a cursor is valid with every credential of the streamer", async (context) => {
  const cursor = await cursorOf({});
  expect((await list({ cursor }, { key: keyOf(context, "readOnly") })).status).toBe(200);
});

test("a cursor with one character changed is refused with invalid_cursor", async () => {
  const cursor = await cursorOf({ identifier: freshIdentifier() });
  await holds(fc.tuple(fc.nat(cursor.length - 2), fc.constantFrom(..."AZaz09-_")), async ([at, letter]) => {
    const changed = cursor.slice(0, at) + (cursor[at] === letter ? "B" : letter) + cursor.slice(at + 1);
    expectProblem(await list({ cursor: changed }), 400, "invalid_cursor");
  });
});

test("a cursor that was made up is refused with invalid_cursor", async () => {
  const cursor = await cursorOf({});
  const madeUp = [
    "x",
    "0",
    "null",
    "{}",
    btoa('{"sequence":1}'),
    "AAAA",
    "..",
    cursor.slice(1),
    cursor.slice(0, -1),
    `${cursor}A`,
    `${cursor}.`,
    cursor + cursor,
    ` ${cursor}`,
    "\u0000",
    "ก",
    "x".repeat(4096),
  ];
  for (const forged of madeUp) expectProblem(await list({ cursor: forged }), 400, "invalid_cursor");
});

describe("cursors of a search", () => {
  const searchCursorOf = async (q: string, identifier: string): Promise<string> =>
    pageOf(await search({ q, identifier, limit: 1 })).pagination.nextCursor ?? "";

  test("a cursor of a search carries q and the filters: they may be left out or repeated, and may not change", async () => {
    const { identifier, donations } = await recordSome(3);
    const q = donations[0]?.donatorName as string;
    const cursor = await searchCursorOf(q, identifier);
    const rest = await searchAll({ cursor }); // all but what the first page held; a page may be empty
    expect([2, 3]).toContain(rest.length);
    for (const query of [{ q }, { q, identifier, limit: 50 }] as Query[]) expect(await searchAll({ cursor, ...query })).toEqual(rest);
    for (const query of [{ q: `${q}x` }, { identifier: "other" }, { minAmount: 1 }, { timezone: "UTC" }] as Query[])
      expectProblem(await search({ cursor, ...query }), 400, "invalid_cursor");
  });

  test("a cursor of a list is refused by a search, and one of a search by a list", async () => {
    const { identifier, donations } = await recordSome(3);
    const ofSearch = await searchCursorOf(donations[0]?.donatorName as string, identifier);
    const ofList = pageOf(await list({ identifier, limit: 1 })).pagination.nextCursor ?? "";
    expectProblem(await search({ cursor: ofList }), 400, "invalid_cursor");
    expectProblem(await list({ cursor: ofSearch }), 400, "invalid_cursor");
  });

  test("a cursor of a search fits the contract, however long the parameters are", async () => {
    const identifier = `${freshIdentifier()}${"\u0001".repeat(70)}`;
    const q = "\u0001".repeat(60);
    for (let count = 0; count < 2; count += 1) await post({ identifier });
    const { pagination } = pageOf(await search({ q, identifier, limit: 1, from: `2001-01-01T00:00:00.${"0".repeat(3_000)}Z` }));
    expect(pagination.hasMore).toBe(true);
    expect((await search({ cursor: pagination.nextCursor ?? "" })).status).toBe(200);
  });
});
