import { expect, test } from "vitest";
import { resolveRange } from "./range.ts";

const utc = (text: string) => Date.parse(text);

test("a date in a range is the local day, and `to` includes it", () => {
  const range = resolveRange({ from: "2026-11-01", to: "2026-11-01", timezone: "Asia/Bangkok" });
  expect(range).toEqual({ from: utc("2026-10-31T17:00Z"), to: utc("2026-11-01T17:00Z") });
});

test("a date-time in a range is an instant, and `to` excludes it", () => {
  const range = resolveRange({ from: "2026-11-01T00:00Z", to: "2026-11-01T00:00:00.001Z", timezone: "Asia/Bangkok" });
  expect(range).toEqual({ from: utc("2026-11-01T00:00Z"), to: utc("2026-11-01T00:00:00.001Z") });
});

test("a local day without midnight starts at its first instant", () => {
  expect(resolveRange({ from: "2018-11-04", timezone: "America/Sao_Paulo" }).from).toBe(utc("2018-11-04T03:00Z"));
});

test("a local day on which clocks change has 23 or 25 hours", () => {
  const hours = (day: string) => {
    const { from, to } = resolveRange({ from: day, to: day, timezone: "Europe/Berlin" });
    return ((to ?? 0) - (from ?? 0)) / 3_600_000;
  };
  expect([hours("2026-03-29"), hours("2026-10-25"), hours("2026-07-01")]).toEqual([23, 25, 24]);
});

test("dates of the years 0000 to 9999 are accepted in a range", () => {
  expect(resolveRange({ from: "0000-02-29", to: "9999-12-31", timezone: "UTC" })).toEqual({ from: -62162121600000, to: 253402300800000 });
});

test.each([
  [{ from: "2026-11-02", to: "2026-11-01", timezone: "UTC" }, "to must be after from"],
  [{ from: "2026-11-01T00:00Z", to: "2026-11-01T00:00Z", timezone: "UTC" }, "to must be after from"],
  [{ timezone: "Mars/Olympus" }, "IANA name"],
  [{ timezone: "+07:00" }, "IANA name"],
])("the range %o is refused", (parameters, message) => {
  expect(() => resolveRange(parameters)).toThrow(message);
});
