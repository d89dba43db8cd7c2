import type { Knex } from "knex";
import { expect, test } from "vitest";
import { type BatchedReads, batchedReads } from "../db/batched-reads.ts";
import { pools } from "../db/pools.ts";
import { useDatabase } from "../db/testing.ts";
import type { PageRequest } from "./list/page-request.ts";
import { insertBatch } from "./record/batch.ts";
import { makeSearch } from "./search/search.ts";
import { searchStore } from "./search/search-store.ts";
import { donationStore } from "./store.ts";
import { streamerStore } from "./streamers.ts";
import { someDonation } from "./testing.ts";

const database = useDatabase();

const filters = {
  range: { from: null, to: null },
  channels: null,
  sources: [],
  identifier: null,
  minAmount: null,
  maxAmount: null,
  status: "all",
} as const;
const request: PageRequest = { sort: "-receivedAt", filters, q: null, after: null, limit: 2 };

test("a page has its donations in its order, in whatever order a batch returns the rows", async () => {
  const rows = [7, 9, 8].map((sequence) => ({ sequence, id: `d${sequence}`, matches: true, examined: 10 - sequence, createdAt: sequence }));
  const reads = (async () => rows) as unknown as BatchedReads;
  const page = await donationStore({} as Knex, reads).page("s", request);
  expect(page.donations.map(({ sequence }) => sequence)).toEqual([9, 8]);
  expect(page).toMatchObject({ last: { sequence: 8 }, hasMore: true });
});

test("a page of a streamer whose donations are not counted yet reads the next ones of an index, and sorts none", async () => {
  const { knex } = database;
  await knex.raw("alter table donations set (autovacuum_enabled = off)");
  const { id } = await streamerStore(knex).create("uncounted");
  await insertBatch(
    knex,
    Array.from({ length: 3_000 }, () => someDonation(id, { skipAlert: true })),
    false,
  );
  const [lists, searches] = [database.pool({ ...pools.reads, max: 1 }), database.pool({ ...pools.searches, max: 1 })];
  const sources = ["external", "native"] as const;
  const found = { ...request, sort: "-createdAt", filters: { ...filters, sources } } as const;
  expect((await donationStore(knex, batchedReads(lists)).page(id, found)).donations).toHaveLength(2);
  expect((await makeSearch(searchStore(searches))(id, { ...found, q: "a" })).found).toHaveLength(2);
  for (const pool of [lists, searches]) {
    const { rows } = await pool.raw("select statement from pg_prepared_statements where statement like '%from donations%'");
    expect(rows).not.toEqual([]);
    for (const { statement } of rows) {
      const plan = JSON.stringify((await pool.raw(`explain (generic_plan) ${statement.replaceAll("?", "\\?")}`)).rows);
      expect(plan).toContain("using donations_created_at on donations");
      expect(plan).not.toMatch(/Sort {2}.*donations/);
    }
  }
});
