import type { Knex } from "knex";
import { expect, test } from "vitest";
import type { BatchedReads } from "../db/batched-reads.ts";
import type { PageRequest } from "./list/page-request.ts";
import { donationStore } from "./store.ts";

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
