import { expect, test } from "vitest";
import { daysBefore, readSpan } from "./spans.ts";

const spanOf = (query: string, today = "2026-11-21") => readSpan(new URLSearchParams(query), today);

test.each([
  ["", "2026-10-23", "day"],
  ["span=fortnight", "2026-10-23", "day"],
  ["span=7", "2026-11-15", "day"],
  ["span=90", "2026-08-24", "day"],
  ["span=year", "2025-11-24", "week"], // a Monday
] as const)("the address ?%s asks for the days from %s to today", (query, from, interval) => {
  expect(spanOf(query)).toMatchObject({ from, to: "2026-11-21", interval, endsToday: true });
});

test("a leap day is one of the last 30 days", () => {
  expect(spanOf("", "2028-03-01").from).toBe("2028-02-01");
});

test.each([
  ["2026-08-22", "day"],
  ["2026-08-21", "week"],
  ["2024-01-01", "month"],
  ["2001-01-01", "year"],
] as const)("days of the streamer's choice from %s have bars by %s", (from, interval) => {
  expect(spanOf(`span=own&from=${from}&to=2026-11-21`).interval).toBe(interval);
});

test("days of the streamer's choice begin with the last 30 days", () => {
  expect(spanOf("span=own")).toMatchObject({ from: "2026-10-23", to: "2026-11-21", endsToday: true });
  expect(spanOf("span=own&to=2026-11-20").endsToday).toBe(false);
});

const iso = (ms: number) => new Date(ms).toISOString();

test("a span is compared with as many days before, until the same time of day when it ends today", () => {
  const now = Date.parse("2026-11-21T10:00+07:00");
  const [today, past] = [daysBefore(spanOf("span=7"), now, "Asia/Bangkok"), spanOf("span=own&from=2026-11-10&to=2026-11-12")];
  expect([iso(today.from), iso(today.to)]).toEqual(["2026-11-07T17:00:00.000Z", "2026-11-14T03:00:00.000Z"]);
  const { from, to } = daysBefore(past, now, "Asia/Bangkok");
  expect([iso(from), iso(to)]).toEqual(["2026-11-06T17:00:00.000Z", "2026-11-09T17:00:00.000Z"]);
});
