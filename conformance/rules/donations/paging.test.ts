import { describe, expect, test } from "vitest";

import { type Donation, ids, list, listAll, type Page, pageOf, post, type Query, recordSome } from "../../suite/client/api.ts";
import { holdsForEach } from "../../suite/client/holds.ts";
import { maxAmount } from "../../suite/contract/interface.ts";
import { at, emptyDays, report } from "../../suite/models/report-requests.ts";
import { freshIdentifier } from "../../suite/values/donations.ts";
import { tiniest } from "../../suite/values/doubles.ts";

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
    let cursor: Query = {};
    for (let page = 1, more = true; more; page += 1) {
      const { data, pagination } = pageOf(await list({ identifier, sort, limit: 2, ...cursor }));
      seen.push(...ids(data));
      if (page < 10) await Promise.all([post({ identifier, amount: 2, createdAt: "2024-02-01T00:00Z" }), post({ identifier })]);
      more = pagination.hasMore;
      cursor = { cursor: pagination.nextCursor ?? "" };
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
  const rising = [tiniest, 1e-7, 2.5, 9, 10, 99.75, maxAmount];
  for (const place of [3, 6, 1, 5, 0, 4, 2]) await at(`${day}T12:00+07:00`, { amount: rising[place] });
  const amounts = async (query: Query) => (await listAll({ from: day, to: day, ...query })).map(({ amount }) => amount);
  for (const limit of [2, 100]) {
    expect(await amounts({ sort: "amount", limit })).toEqual(rising);
    expect(await amounts({ sort: "-amount", limit })).toEqual(rising.toReversed());
    expect(await amounts({ sort: "amount", limit, minAmount: 9 })).toEqual(rising.slice(-4));
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

async function lastPage(query: Query): Promise<Page["pagination"]> {
  let { pagination } = pageOf(await list(query));
  while (pagination.hasMore) ({ pagination } = pageOf(await list({ ...query, cursor: pagination.nextCursor ?? "" })));
  return pagination;
}

test("the default order of a list is -createdAt", async () => {
  const { identifier, donations } = await recordSome(6);
  expect(ids(await listAll({ identifier }))).toEqual(inOrder(donations, "-createdAt"));
});

test("a poller of receivedAt misses no donation and sees none twice while many arrive concurrently", async () => {
  const identifier = freshIdentifier();
  let { nextCursor } = await lastPage({ identifier, sort: "receivedAt" });
  let sending = true;
  const sent = holdsForEach(Array.from({ length: 300 }), () => post({ identifier }), 24).finally(() => (sending = false));
  const seen: Donation[] = [];
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
