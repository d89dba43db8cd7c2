// Local days, hours, weeks, months and years of a time zone as spans of instants. Pure.
//
// A trend has up to a thousand buckets, and clients may request it as often as the rate limit allows. The ends of buckets are therefore computed
// by arithmetic on day numbers (days since 1970-01-01).

import { daysFromCivil } from "../base/instant.ts";
import { changeBetween, dayAt, msPerDay, startOfDay, type Zone, zoneOf } from "../base/local-days.ts";
import type { Schemas } from "../http/operations.ts";

type Interval = Schemas["Interval"];
export type Closed = Readonly<{ from: number; to: number }>;
export type LocalBucket = Closed & Readonly<{ label: string }>;

type Calendar = Exclude<Interval, "hour">;

const msPerMinute = 60_000;
const msPerHour = 3_600_000;

/** The first day of the week (Monday), month or year of a day. */
export function firstDayOf(interval: Calendar, day: number): number {
  return calendars[interval].first(day);
}

/** Local buckets that cover a range. The first and the last end with the range. Null when there are more than `limit`. */
export function bucketsOf(
  range: Closed,
  interval: Interval,
  { timezone, limit }: { timezone: string; limit: number },
): LocalBucket[] | null {
  const buckets: LocalBucket[] = [];
  const zone = zoneOf(timezone);
  for (const bucket of interval === "hour" ? hours(range.from, zone) : dates(range.from, interval, zone)) {
    if (bucket.from >= range.to) break;
    const cut = { label: bucket.label, from: Math.max(bucket.from, range.from), to: Math.min(bucket.to, range.to) };
    if (cut.from >= cut.to) continue; // before the range, or a date that the zone skipped
    if (buckets.push(cut) > limit) return null;
  }
  return buckets;
}

function* dates(ms: number, interval: Calendar, zone: Zone): Iterable<LocalBucket> {
  const { first, next, label } = calendars[interval];
  let day = first(dayAt(ms, zone));
  let from = startOfDay(day, zone);
  for (;;) {
    const following = next(day);
    const to = startOfDay(following, zone);
    yield { from, to, label: label(day) };
    [day, from] = [following, to];
  }
}

function* hours(ms: number, zone: Zone): Iterable<LocalBucket> {
  const { offsetAt } = zone;
  for (const day of dates(ms, "day", zone)) {
    for (let from = day.from; from < day.to; ) {
      const offset = offsetAt(from);
      const until = offsetAt(day.to - 1) === offset ? day.to : changeBetween(from, day.to - 1, offsetAt);
      for (; from < until; from = Math.min(endOfHour(from, offset), until))
        yield { from, to: Math.min(endOfHour(from, offset), until), label: hourLabel(from, offset) };
    }
  }
}

function endOfHour(ms: number, offset: number): number {
  return (Math.floor((ms + offset) / msPerHour) + 1) * msPerHour - offset;
}

/** By day numbers: the first day of the period of a day, the first day of the next period, and the name of the period. */
type Steps = Readonly<{ first: (day: number) => number; next: (first: number) => number; label: (first: number) => string }>;

const calendars: Record<Calendar, Steps> = {
  day: { first: (day) => day, next: (day) => day + 1, label: dayLabel },
  week: {
    first: (day) => day - ((((day + 3) % 7) + 7) % 7), // 1970-01-01 was a Thursday
    next: (day) => day + 7,
    label: weekLabel,
  },
  month: {
    first: (day) => day - dateOf(day).getUTCDate() + 1,
    next: (day) => firstOfNextMonth(dateOf(day)),
    label: (day) => dayLabel(day).slice(0, -3),
  },
  year: {
    first: (day) => daysFromCivil(dateOf(day).getUTCFullYear(), 1, 1),
    next: (day) => daysFromCivil(dateOf(day).getUTCFullYear() + 1, 1, 1),
    label: (day) => yearLabel(dateOf(day).getUTCFullYear()),
  },
};

/** V8's Date knows every year that a range can reach. */
function dateOf(day: number): Date {
  return new Date(day * msPerDay);
}

function firstOfNextMonth(date: Date): number {
  const month = date.getUTCMonth() + 1;
  return daysFromCivil(date.getUTCFullYear() + Math.floor(month / 12), (month % 12) + 1, 1);
}

function dayLabel(day: number): string {
  const date = dateOf(day);
  return `${yearLabel(date.getUTCFullYear())}-${twoDigits(date.getUTCMonth() + 1)}-${twoDigits(date.getUTCDate())}`;
}

/** A week belongs to the year of its Thursday (ISO 8601). */
function weekLabel(monday: number): string {
  const thursday = monday + 3;
  const year = dateOf(thursday).getUTCFullYear();
  return `${yearLabel(year)}-W${twoDigits(Math.floor((thursday - daysFromCivil(year, 1, 1)) / 7) + 1)}`;
}

function hourLabel(ms: number, offset: number): string {
  const local = ms + offset;
  const minutes = Math.round(Math.abs(offset) / msPerMinute); // offsets before standard time have seconds
  const hour = Math.floor((local - Math.floor(local / msPerDay) * msPerDay) / msPerHour);
  const zone = `${offset < 0 ? "-" : "+"}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
  return `${dayLabel(Math.floor(local / msPerDay))}T${twoDigits(hour)}:00${zone}`;
}

/** The year by ISO 8601: with a sign and six digits when it is outside 0000 to 9999. */
function yearLabel(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, "0");
  return `${year < 0 ? "-" : "+"}${String(Math.abs(year)).padStart(6, "0")}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}
