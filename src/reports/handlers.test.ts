import type { Knex } from "knex";
import { expect, test } from "vitest";
import type { AnswerCache } from "../db/answer-cache.ts";
import { onPrimary } from "../db/exact-reads.ts";
import { justStored, type StoredDonation } from "../donations/donation.ts";
import { someDonation } from "../donations/testing.ts";
import type { Principal } from "../http/operations.ts";
import { Problem } from "../http/problem.ts";
import {
  findReported,
  getAmountTrends,
  getChannelBreakdown,
  getCountTrends,
  getDonationStats,
  listTopDonators,
  type ReportDeps,
} from "./handlers.ts";

const reader: Principal = { streamerId: "s", applicationId: "a", scopes: [], credential: { kind: "api_key", id: "x" } };
const caller = { authorization: undefined, cookie: undefined, origin: undefined, host: undefined, address: "" };
const query = { timezone: "UTC", source: [], interval: "day", by: "amount", limit: 10, cumulative: false } as const;
const request = { caller, path: {}, header: {}, query: { ...query, source: [] }, given: [], body: undefined };

/** A report that takes an hour. Donations may have been acknowledged meanwhile that are not in it. */
function slowReports(): ReportDeps {
  let now = Date.UTC(2026, 0, 1, 23, 30);
  const cache = (async () => {
    now += 3_600_000;
    return Buffer.from('{"largestId":null,"latestId":null}');
  }) as unknown as AnswerCache;
  return {
    read: onPrimary({ reports: {} as Knex }),
    shortHistory: 0,
    cache,
    record: () => Promise.reject(new Error("no donation")),
    now: () => now,
  };
}

test.each(Object.entries({ getDonationStats, listTopDonators, getChannelBreakdown, getAmountTrends, getCountTrends }))(
  "asOf of %s is when it was requested, so that the report includes every donation that was acknowledged before",
  async (_name, handler) => {
    const reply = (await handler(slowReports())(request, reader)) as { body?: unknown; json?: Buffer };
    const { data } = (reply.body ?? JSON.parse(String(reply.json))) as { data: { asOf: string } };
    expect(data.asOf).toBe("2026-01-01T23:30:00.000Z");
  },
);

const streamerId = "00000000-0000-7000-8000-000000000000";
const stored = justStored(someDonation(streamerId), 0, 1);
const justRecorded = justStored(someDonation(streamerId), 0, 2);
const finder = (...found: StoredDonation[]) => ({
  donations: { find: async (_streamer: string, id: string) => found.find((one) => one.id === id) ?? null },
});
const standby = finder(stored, justRecorded);
const find = findReported({ primary: finder(stored), read: (_streamer, read) => read(standby) });

test("a donation that a report names is read on the primary, and on the standby while the primary does not show it yet", async () => {
  expect(await find(streamerId, stored.id)).toBe(stored);
  expect(await find(streamerId, justRecorded.id)).toBe(justRecorded);
});

test("a donation that a report names and no server shows is unavailable, not a fault of the server", async () => {
  const error = await find(streamerId, "elsewhere").catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(Problem);
  expect(error).toMatchObject({ code: "unavailable" });
});
