import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { expect, test } from "vitest";
import { bucketsOf, type LocalBucket } from "./calendar.ts";

const buckets = (from: string, to: string, interval: "hour" | "day", timezone: string) =>
  bucketsOf({ from: Date.parse(from), to: Date.parse(to) }, interval, { timezone, limit: 100 })?.map(({ from: start, to: end, label }) => [
    new Date(start).toISOString().slice(0, 16),
    (end - start) / 60_000,
    label,
  ]);

test("the hour that a zone repeats for half an hour is a bucket of half an hour", () => {
  expect(buckets("2026-04-04T14:00Z", "2026-04-04T16:30Z", "hour", "Australia/Lord_Howe")).toEqual([
    ["2026-04-04T14:00", 60, "2026-04-05T01:00+11:00"],
    ["2026-04-04T15:00", 30, "2026-04-05T01:00+10:30"],
    ["2026-04-04T15:30", 60, "2026-04-05T02:00+10:30"],
  ]);
});

test("a date that a zone skips has no bucket", () => {
  expect(buckets("2011-12-29T10:00Z", "2011-12-31T10:00Z", "day", "Pacific/Apia")).toEqual([
    ["2011-12-29T10:00", 1440, "2011-12-29"],
    ["2011-12-30T10:00", 1440, "2011-12-31"],
  ]);
});

test("an hour in which local mean time ends is one bucket", () => {
  expect(buckets("1920-03-31T17:00Z", "1920-03-31T18:00Z", "hour", "Asia/Bangkok")).toEqual([
    ["1920-03-31T17:00", 17 + 56 / 60, "1920-03-31T23:00+06:42"],
    ["1920-03-31T17:17", 42 + 4 / 60, "1920-04-01T00:00+07:00"],
  ]);
});

test("a range with more buckets than the limit has none", () => {
  expect(bucketsOf({ from: 0, to: 3_600_000 * 101 }, "hour", { timezone: "UTC", limit: 100 })).toBeNull();
  expect(bucketsOf({ from: 0, to: 3_600_000 * 100 }, "hour", { timezone: "UTC", limit: 100 })).toHaveLength(100);
});

// The same by Temporal, which knows zones well and takes its time.

const msPerHour = 3_600_000;
const msPerDay = 24 * msPerHour;
const intervals = ["hour", "day", "week", "month", "year"] as const;
type Interval = (typeof intervals)[number];
const usual: Record<Interval, number> = { hour: msPerHour, day: msPerDay, week: 7 * msPerDay, month: 30 * msPerDay, year: 365 * msPerDay };

const at = (ms: number, timezone: string) => Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);

function expected({ from, to }: { from: number; to: number }, interval: Interval, timezone: string): LocalBucket[] {
  const buckets: LocalBucket[] = [];
  const start = (date: Temporal.PlainDate) => date.toZonedDateTime(timezone).epochMilliseconds;
  const add = (bucket: LocalBucket) => {
    const cut = { ...bucket, from: Math.max(bucket.from, from), to: Math.min(bucket.to, to) };
    if (cut.from < cut.to) buckets.push(cut);
  };
  const unit = interval === "hour" ? "day" : interval;
  for (let date = firstDate(at(from, timezone).toPlainDate(), unit); start(date) < to; date = date.add({ [`${unit}s`]: 1 })) {
    const span = { from: start(date), to: start(date.add({ [`${unit}s`]: 1 })) };
    if (interval === "hour") for (const hour of hoursOf(span, timezone)) add(hour);
    else add({ ...span, label: nameOf(date, interval) });
  }
  return buckets;
}

/** An hour ends where the clock is at the next one, or changes. */
function* hoursOf(day: { from: number; to: number }, timezone: string): Iterable<LocalBucket> {
  for (let from = day.from; from < day.to; ) {
    const local = at(from, timezone);
    const left = msPerHour - ((local.minute * 60 + local.second) * 1000 + local.millisecond);
    let to = Math.min(from + left, day.to);
    if (at(to - 1, timezone).offsetNanoseconds !== local.offsetNanoseconds)
      to = local.getTimeZoneTransition("next")?.epochMilliseconds ?? Number.NaN;
    yield { from, to, label: `${local.toPlainDate()}T${String(local.hour).padStart(2, "0")}:00${zoneName(local)}` };
    from = to;
  }
}

/** To the minute, half away from zero. */
function zoneName({ offset, offsetNanoseconds }: Temporal.ZonedDateTime): string {
  const minutes = Temporal.Duration.from({ minutes: Math.round(Math.abs(offsetNanoseconds) / 6e10) }).round({ largestUnit: "hours" });
  return `${offset.charAt(0)}${[minutes.hours, minutes.minutes].map((part) => String(part).padStart(2, "0")).join(":")}`;
}

function firstDate(date: Temporal.PlainDate, unit: Exclude<Interval, "hour">): Temporal.PlainDate {
  if (unit === "week") return date.subtract({ days: date.dayOfWeek - 1 });
  return unit === "day" ? date : date.with(unit === "month" ? { day: 1 } : { month: 1, day: 1 });
}

function nameOf(date: Temporal.PlainDate, interval: Exclude<Interval, "hour">): string {
  if (interval === "day") return date.toString();
  if (interval === "month") return date.toPlainYearMonth().toString();
  const name = (year: number) => Temporal.PlainYearMonth.from({ year, month: 1 }).toString().slice(0, -3);
  return interval === "year" ? name(date.year) : `${name(date.yearOfWeek as number)}-W${String(date.weekOfYear).padStart(2, "0")}`;
}

const odd = [
  "America/Sao_Paulo", // clocks that change at midnight
  "Asia/Beirut",
  "Africa/Cairo",
  "America/Havana",
  "Pacific/Apia", // left a day out
  "Pacific/Kwajalein",
  "Asia/Manila", // left a day out in 1844, and so changed its offset by a day
  "America/Juneau", // had a day twice
  "Australia/Lord_Howe", // half an hour
  "Africa/Casablanca", // twice a year for a month
  "Europe/Dublin",
  "Africa/Monrovia", // seconds, up to 1972
  "Europe/Amsterdam",
  "Asia/Kathmandu",
  "Antarctica/Troll",
  "UTC",
];
const zones = fc.oneof(fc.constantFrom(...odd), fc.constantFrom(...Intl.supportedValuesOf("timeZone")));
const year = (from: number, to: number) => fc.integer({ min: Date.UTC(from, 0, 1), max: Date.UTC(to, 0, 1) });
const starts = fc.oneof(
  { weight: 6, arbitrary: year(1880, 2040) },
  { weight: 1, arbitrary: year(1840, 1880) },
  { weight: 1, arbitrary: fc.integer({ min: -62_200_000_000_000, max: Date.UTC(9_990, 0, 1) }) },
);

test(
  "buckets are those that Temporal finds, in every zone and year",
  () =>
    fc.assert(
      fc.property(zones, starts, fc.constantFrom(...intervals), fc.nat({ max: 60_000 }), (timezone, from, interval, thousandths) => {
        const range = { from, to: from + 1 + Math.floor((thousandths / 1000) * usual[interval]) };
        expect(bucketsOf(range, interval, { timezone, limit: 1_000 })).toEqual(expected(range, interval, timezone));
      }),
      { numRuns: 500 },
    ),
  60_000,
);

test.each(odd)(
  "around changes of the clocks of %s, days and hours are those that Temporal finds",
  (timezone) => {
    for (const change of changesOf(timezone)) {
      const range = { from: change - 1.5 * msPerDay, to: change + 1.5 * msPerDay };
      for (const interval of ["day", "hour"] as const)
        expect(bucketsOf(range, interval, { timezone, limit: 200 })).toEqual(expected(range, interval, timezone));
    }
  },
  30_000,
);

/** All before 1925, which are the odd ones; then one in five. */
function changesOf(timezone: string): number[] {
  const changes: Temporal.ZonedDateTime[] = [];
  let change = at(Date.UTC(1840, 0, 1), timezone).getTimeZoneTransition("next");
  for (; change && change.year < 2_030; change = change.getTimeZoneTransition("next")) changes.push(change);
  return changes.filter(({ year }, index) => year < 1925 || index % 5 === 0).map(({ epochMilliseconds }) => epochMilliseconds);
}
