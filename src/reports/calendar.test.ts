import { expect, test } from "vitest";
import { bucketsOf } from "./calendar.ts";

const buckets = (from: string, to: string, interval: "hour" | "day", timezone: string) =>
  bucketsOf({ from: Date.parse(from), to: Date.parse(to) }, interval, { timezone, limit: 100 })?.map(({ from: start, to: end, label }) => [
    new Date(start).toISOString().slice(0, 16),
    (end - start) / 60_000,
    label,
  ]);

test("where clocks go back by half an hour, the hour that is shown again is half a bucket", () => {
  expect(buckets("2026-04-04T14:00Z", "2026-04-04T16:30Z", "hour", "Australia/Lord_Howe")).toEqual([
    ["2026-04-04T14:00", 60, "2026-04-05T01:00+11:00"],
    ["2026-04-04T15:00", 30, "2026-04-05T01:00+10:30"],
    ["2026-04-04T15:30", 60, "2026-04-05T02:00+10:30"],
  ]);
});

test("a zone that skips a date has no bucket for it", () => {
  expect(buckets("2011-12-29T10:00Z", "2011-12-31T10:00Z", "day", "Pacific/Apia")).toEqual([
    ["2011-12-29T10:00", 1440, "2011-12-29"],
    ["2011-12-30T10:00", 1440, "2011-12-31"],
  ]);
});

test("local mean time ends within an hour", () => {
  expect(buckets("1920-03-31T17:00Z", "1920-03-31T18:00Z", "hour", "Asia/Bangkok")).toEqual([
    ["1920-03-31T17:00", 17 + 56 / 60, "1920-03-31T23:00+06:42"],
    ["1920-03-31T17:17", 42 + 4 / 60, "1920-04-01T00:00+07:00"],
  ]);
});

test("more buckets than the limit are none", () => {
  expect(bucketsOf({ from: 0, to: 3_600_000 * 101 }, "hour", { timezone: "UTC", limit: 100 })).toBeNull();
  expect(bucketsOf({ from: 0, to: 3_600_000 * 100 }, "hour", { timezone: "UTC", limit: 100 })).toHaveLength(100);
});
