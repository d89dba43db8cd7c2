import { expect, test } from "vitest";
import { spanBefore } from "./periods.ts";

const iso = (ms: number) => new Date(ms).toISOString();

test.each([
  ["today", "2026-11-21T10:00+07:00", "2026-11-20T00:00+07:00", "2026-11-20T10:00+07:00"],
  ["thisWeek", "2026-11-22T10:00+07:00", "2026-11-09T00:00+07:00", "2026-11-15T10:00+07:00"], // a Sunday
  ["thisWeek", "2026-11-23T00:01+07:00", "2026-11-16T00:00+07:00", "2026-11-16T00:01+07:00"], // a Monday
  ["thisMonth", "2026-11-21T10:00+07:00", "2026-10-01T00:00+07:00", "2026-10-21T10:00+07:00"],
  ["thisMonth", "2026-01-31T23:59+07:00", "2025-12-01T00:00+07:00", "2025-12-31T23:59+07:00"],
] as const)("%s so far, at %s, is compared with the time from %s until %s", (period, now, from, to) => {
  const span = spanBefore(period, Date.parse(now), "Asia/Bangkok");
  expect([iso(span.from), iso(span.to), span.isWhole]).toEqual([iso(Date.parse(from)), iso(Date.parse(to)), false]);
});

test("a day that the month before does not have is compared with the whole month before", () => {
  const span = spanBefore("thisMonth", Date.parse("2026-03-30T10:00+07:00"), "Asia/Bangkok");
  expect([iso(span.from), iso(span.to), span.isWhole]).toEqual(["2026-01-31T17:00:00.000Z", "2026-02-28T17:00:00.000Z", true]);
});

test("where clocks have changed since, the span before ends at the same time of day", () => {
  const { from, to } = spanBefore("today", Date.parse("2026-03-29T10:00+02:00"), "Europe/Berlin"); // the clocks went forward at two
  expect([iso(from), iso(to)]).toEqual(["2026-03-27T23:00:00.000Z", "2026-03-28T09:00:00.000Z"]);
});
