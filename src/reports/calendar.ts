// Local days, hours, weeks, months and years of a time zone as spans of instants. Pure.

import { Temporal } from "temporal-polyfill";
import type { Schemas } from "../http/operations.ts";

export type Interval = Schemas["Interval"];
export type Closed = Readonly<{ from: number; to: number }>;
export type LocalBucket = Closed & Readonly<{ label: string }>;

type Calendar = Exclude<Interval, "hour">;

const msPerMinute = 60_000;
const msPerHour = 3_600_000;
const msPerDay = 86_400_000;

/** The local date of an instant. */
export function dateAt(ms: number, timezone: string): Temporal.PlainDate {
  return zoned(ms, timezone).toPlainDate();
}

/** The first instant of a local date; not always 00:00, where clocks go forward at midnight. */
export function startOfDate(date: Temporal.PlainDate, timezone: string): number {
  return date.toZonedDateTime(timezone).epochMilliseconds;
}

/** The first date of the week (Monday), month or year that a date lies in. */
export function startOf(interval: Calendar, date: Temporal.PlainDate): Temporal.PlainDate {
  if (interval === "week") return date.subtract({ days: date.dayOfWeek - 1 });
  if (interval === "month") return date.with({ day: 1 });
  return interval === "year" ? date.with({ month: 1, day: 1 }) : date;
}

/** Local buckets that cover a range, the first and the last cut off at its ends; at most `limit`, else null. */
export function bucketsOf(
  range: Closed,
  interval: Interval,
  { timezone, limit }: { timezone: string; limit: number },
): LocalBucket[] | null {
  const buckets: LocalBucket[] = [];
  for (const bucket of walk(range, interval, timezone)) {
    if (bucket.from >= range.to) break;
    const cut = { ...bucket, from: Math.max(bucket.from, range.from), to: Math.min(bucket.to, range.to) };
    if (cut.from >= cut.to) continue; // before the range, or a date that the zone has left out
    if (buckets.push(cut) > limit) return null;
  }
  return buckets;
}

function walk(range: Closed, interval: Interval, timezone: string): Iterable<LocalBucket> {
  return interval === "hour" ? hours(range.from, timezone) : dates(range.from, interval, timezone);
}

function* dates(ms: number, interval: Calendar, timezone: string): Iterable<LocalBucket> {
  let date = startOf(interval, dateAt(ms, timezone));
  let from = startOfDate(date, timezone);
  for (;;) {
    const next = date.add({ [`${interval}s`]: 1 });
    const to = startOfDate(next, timezone);
    yield { from, to, label: labels[interval](date) };
    [date, from] = [next, to];
  }
}

function* hours(ms: number, timezone: string): Iterable<LocalBucket> {
  for (const day of dates(ms, "day", timezone)) {
    for (let from = day.from; from < day.to; ) {
      const offset = offsetAt(from, timezone);
      const steady = day.to - from <= msPerDay && offsetAt(day.to - 1, timezone) === offset;
      const until = steady ? day.to : nextChange(from, day.to, timezone);
      for (; from < until; from = Math.min(endOfHour(from, offset), until))
        yield { from, to: Math.min(endOfHour(from, offset), until), label: hourLabel(from, offset) };
    }
  }
}

/** The first instant with another offset, or `to`. */
function nextChange(from: number, to: number, timezone: string): number {
  const change = zoned(from, timezone).getTimeZoneTransition("next");
  return change ? Math.min(change.epochMilliseconds, to) : to;
}

function endOfHour(ms: number, offset: number): number {
  return (Math.floor((ms + offset) / msPerHour) + 1) * msPerHour - offset;
}

function offsetAt(ms: number, timezone: string): number {
  return zoned(ms, timezone).offsetNanoseconds / 1e6;
}

function zoned(ms: number, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
}

const labels: Record<Calendar, (date: Temporal.PlainDate) => string> = {
  day: (date) => `${yearLabel(date.year)}-${two(date.month)}-${two(date.day)}`,
  week: (date) => `${yearLabel(date.yearOfWeek as number)}-W${two(date.weekOfYear as number)}`,
  month: (date) => `${yearLabel(date.year)}-${two(date.month)}`,
  year: (date) => yearLabel(date.year),
};

function hourLabel(ms: number, offset: number): string {
  const local = new Date(ms + offset);
  const minutes = Math.round(Math.abs(offset) / msPerMinute); // offsets before standard time have seconds
  const date = `${yearLabel(local.getUTCFullYear())}-${two(local.getUTCMonth() + 1)}-${two(local.getUTCDate())}`;
  return `${date}T${two(local.getUTCHours())}:00${offset < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** As ISO 8601 writes years: with a sign where they have not four digits. */
function yearLabel(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, "0");
  return `${year < 0 ? "-" : "+"}${String(Math.abs(year)).padStart(6, "0")}`;
}

function two(value: number): string {
  return String(value).padStart(2, "0");
}
