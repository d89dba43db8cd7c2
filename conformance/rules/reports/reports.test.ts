import { describe, expect, test } from "vitest";

import { expectFaults, expectProblem, type Query } from "../../suite/client/api.ts";
import { type DateTime, instantOf, parseDateTime } from "../../suite/contract/date-time.ts";
import { askReport, at, emptyDays, type Reports, report } from "../../suite/models/report-requests.ts";
import { keyOf } from "../../suite/values/target.ts";

// Rules that every report shares; each report has further rules in its own file.

const names: (keyof Reports)[] = ["stats", "top-donators", "breakdown", "trends/amount", "trends/count"];

/** The number of donations that a report counts. */
const counted = {
  stats: (data: Reports["stats"]) => data.count,
  "top-donators": (data: Reports["top-donators"]) => data.donators.reduce((sum, { count }) => sum + count, 0),
  breakdown: (data: Reports["breakdown"]) => data.count,
  "trends/amount": (data: Reports["trends/amount"]) => data.points.reduce((sum, { count }) => sum + count, 0),
  "trends/count": (data: Reports["trends/count"]) => data.points.reduce((sum, { count }) => sum + count, 0),
};
const countOf = async (name: keyof Reports, query: Query, key?: string): Promise<number> =>
  (counted[name] as (data: unknown) => number)(await report(name, query, key === undefined ? {} : { key }));

describe.each(names)("%s", (name) => {
  test(`${name} states its range, zone, currency and time`, async () => {
    const before = Date.now();
    const { from, to, timezone, currency, asOf } = await report(name, { from: "2024-05-10", to: "2024-05-11T03:00+07:00" });
    expect({ from, to, timezone, currency }).toEqual({
      from: "2024-05-09T17:00:00.000Z",
      to: "2024-05-10T20:00:00.000Z",
      timezone: "Asia/Bangkok",
      currency: "THB",
    });
    expect(Math.abs(Date.parse(asOf) - before)).toBeLessThan(60_000);
  });

  test(`${name} counts each donation as soon as it was answered`, async () => {
    const [day = ""] = await emptyDays(1);
    for (let count = 0; count < 4; count += 1) {
      expect(await countOf(name, { from: day, to: day })).toBe(count);
      await at(`${day}T12:00+07:00`);
    }
  });

  test(`${name} includes from and excludes to; a date is the local day, and \`to\` includes that day`, async () => {
    const [before = "", day = "", after = ""] = await emptyDays(3);
    const edges = [`${before}T23:59:59.999`, `${day}T00:00`, `${day}T00:07:30.001`, `${day}T23:59:59.999`, `${after}T00:00`];
    for (const edge of edges) await at(`${edge}+07:00`);
    expect(await countOf(name, { from: day, to: day })).toBe(3);
    expect(await countOf(name, { from: `${day}T00:00+07:00`, to: `${day}T00:07:30.001+07:00` })).toBe(1);
    expect(await countOf(name, { from: `${day}T00:07:30.001+07:00`, to: day })).toBe(2);
    expect(await countOf(name, { from: before, to: `${after}T00:00:00.001+07:00` })).toBe(5);
  });

  test(`${name} takes a day in a zone with a quarter-hour offset as that local day`, async () => {
    const [day = ""] = await emptyDays(1);
    for (const edge of ["00:00+05:45", "23:59:59.999+05:45", "00:00+06:00"]) await at(`${day}T${edge}`);
    expect(await countOf(name, { from: day, to: day, timezone: "Asia/Kathmandu" })).toBe(2);
  });

  test(`${name} counts no donations of another streamer`, async (context) => {
    const [day = ""] = await emptyDays(1);
    await at(`${day}T12:00+07:00`);
    expect(await countOf(name, { from: day, to: day }, keyOf(context, "other"))).toBe(0);
    expect(await countOf(name, { from: day, to: day }, keyOf(context, "secondApplication"))).toBe(1);
  });

  test(`${name} is answered for a streamer without donations`, async (context) => {
    expect(await countOf(name, {}, keyOf(context, "quiet"))).toBe(0);
  });

  test(`${name} keeps the sources that the filter source names`, async () => {
    const [day = ""] = await emptyDays(1);
    await at(`${day}T12:00+07:00`);
    expect(await countOf(name, { from: day, to: day, source: ["external", "test"] })).toBe(1);
    expect(await countOf(name, { from: day, to: day, source: ["native", "test"] })).toBe(0);
  });

  test.each<[string, Query]>([
    ["reversed days", { from: "2024-05-11", to: "2024-05-10" }],
    ["an empty range", { from: "2024-05-10T10:00Z", to: "2024-05-10T17:00+07:00" }],
    ["an unknown time zone", { timezone: "Asia/Ayutthaya" }],
    ["an offset instead of a zone", { timezone: "+07:00" }],
    ["an offset from UTC instead of a zone", { timezone: "UTC+7" }],
    ["an offset from GMT instead of a zone", { timezone: "GMT+7" }],
    ["the zone of the machine", { timezone: "Local" }],
    ["a city instead of a zone", { timezone: "Bangkok" }],
    ["Windows' name of a zone", { timezone: "SE Asia Standard Time" }],
    ["an abbreviation instead of a zone", { timezone: "ICT" }],
    ["a file beside those of the zones", { timezone: "zone.tab" }],
    ["a path to the file of a zone", { timezone: "../Asia/Bangkok" }],
  ])(`${name} with %s is refused with invalid_range`, async (_, query) =>
    expectProblem(await askReport(name, query), 400, "invalid_range"),
  );

  test(`${name} names a malformed bound and an unknown source`, async () => {
    expectFaults(await askReport(name, { from: "2024-02-30", source: "stripe" }), "from invalid_format", "source invalid_enum");
  });

  test(`${name} answers the ends of the years 0000 and 9999 as instants`, async () => {
    const instant = (text: string | null) => instantOf(parseDateTime(text ?? "") as DateTime);
    for (const end of ["0000-01-01T00:00:00.000+23:59", "9999-12-31T23:59:59.998-23:59"]) {
      const range = { from: end, to: `${end.slice(0, 22)}9${end.slice(23)}` };
      const { from, to } = await report(name, range);
      expect([instant(from), instant(to)]).toEqual([instant(range.from), instant(range.to)]);
    }
  });
});

test.each(["trends/amount", "trends/count"] as const)(
  "%s without from begins no earlier than the first date-time there is",
  async (name) => {
    const { from, to } = await report(name, { to: "0000-01-01", timezone: "UTC" });
    expect([from, to].map((text) => parseDateTime(text ?? ""))).not.toContain(null);
  },
);
