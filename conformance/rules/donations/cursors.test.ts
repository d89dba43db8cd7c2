import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { expectProblem, ids, list, listAll, pageOf, post, type Query, recordSome, search, searchAll } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import { freshIdentifier } from "../../suite/values/donations.ts";
import { keyOf } from "../../suite/values/target.ts";

/** The cursor after the first donation of the list, or the one at its end. */
async function cursorOf(query: Query, key?: string): Promise<string> {
  let page = pageOf(await list({ limit: 1, sort: "receivedAt", ...query }, { key }));
  while (page.data.length === 0 && page.pagination.hasMore)
    page = pageOf(await list({ limit: 1, cursor: page.pagination.nextCursor ?? "" }, { key }));
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
])("a cursor with another %s is refused with invalid_cursor", async (_, query) => {
  const cursor = await cursorOf({ identifier: freshIdentifier() });
  expectProblem(await list({ cursor, ...query }), 400, "invalid_cursor");
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
    for (const query of [{ q: `${q}x` }, { identifier: "other" }, { minAmount: 1 }] as Query[])
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
