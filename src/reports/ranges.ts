// Resolves the range of a report, and the periods around the present time.

import { formatEdge, parseInstant } from "../base/instant.ts";
import { dayAt, msPerDay, startOfDay, zoneOf } from "../base/local-days.ts";
import { summedIn } from "../base/summed-currency.ts";
import { type RangeParameters, resolveRange } from "../http/contract/parameters.ts";
import { maxBuckets } from "../http/contract/published.ts";
import type { Schemas } from "../http/operations.ts";
import { Problem } from "../http/problem.ts";
import { type Closed, firstDayOf } from "./calendar.ts";
import type { Span } from "./roll-ups/periods.ts";

type Members = Pick<Schemas["DonationStats"], "from" | "to" | "timezone" | "currency">;

/** Local days of a trend whose query has no `from`. */
const trendDays = 30;
/** No date-time of the contract is earlier. */
const firstDateTime = "0000-01-01T00:00+23:59";
const firstInstant = parseInstant(firstDateTime).ms;

/** The first members of every report. */
export function rangeMembers(range: Span, timezone: string): Members {
  return { from: edge(range.from), to: edge(range.to), timezone, currency: summedIn };
}

/** The range of a trend. A missing `to` is the end of today; a missing `from` is 30 local days before the end, or the first instant there is. */
export function trendRange({ from, to, timezone }: RangeParameters, now: number): Closed {
  const given = resolveRange({ from, to, timezone });
  const end = given.to ?? localDayAt(now, timezone).to;
  const range = { from: given.from ?? Math.max(daysBack(end, timezone), firstInstant), to: end };
  if (range.from < range.to) return range;
  if (given.to !== null) throw refused("invalid_range", "to", `must be after ${firstDateTime}`);
  throw refused("invalid_range", "from", "must be before the end of today when there is no to");
}

export function tooManyBuckets(): Problem {
  return refused("too_many_buckets", "interval", `must be longer: the range has more than ${maxBuckets} buckets`);
}

function refused(code: "invalid_range" | "too_many_buckets", parameter: string, message: string): Problem {
  return new Problem(code, `${parameter} ${message}`, { errors: [{ parameter, code: "out_of_range", message }] });
}

export type PeriodName = keyof Schemas["Periods"];
export type PeriodSpans = Readonly<{ span: Span; previous: Span | null }>;
type PeriodsOfDay = Readonly<{ day: Closed; periods: Record<PeriodName, PeriodSpans> }>;

const known = new Map<string, PeriodsOfDay>();

/** The local day of an instant. Throws invalid_range for an unknown zone. */
export function localDayAt(now: number, timezone: string): Closed {
  return ofDayAt(now, timezone).day;
}

/**
 * Today, this week, this month and this year, up to the end of today, each with as many local days before it; and all time. Throws
 * invalid_range for an unknown zone.
 */
export function periodsAt(now: number, timezone: string): Record<PeriodName, PeriodSpans> {
  return ofDayAt(now, timezone).periods;
}

/** Computed once a day for each zone. */
function ofDayAt(now: number, timezone: string): PeriodsOfDay {
  const name = timezone.toLowerCase();
  const latest = known.get(name);
  if (latest && latest.day.from <= now && now < latest.day.to) return latest;
  resolveRange({ timezone });
  const made = computePeriods(now, timezone);
  known.set(name, made);
  return made;
}

function computePeriods(now: number, timezone: string): PeriodsOfDay {
  const zone = zoneOf(timezone);
  const today = dayAt(now, zone);
  const after = today + 1;
  const [from, to] = [startOfDay(today, zone), startOfDay(after, zone)];
  const since = (first: number): PeriodSpans => {
    const before = first - (after - first);
    const start = startOfDay(first, zone);
    return { span: { from: start, to }, previous: { from: startOfDay(before, zone), to: start } };
  };
  const periods = {
    today: since(today),
    thisWeek: since(firstDayOf("week", today)),
    thisMonth: since(firstDayOf("month", today)),
    thisYear: since(firstDayOf("year", today)),
    allTime: { span: { from: null, to: null }, previous: null },
  };
  return { day: { from, to }, periods };
}

function daysBack(end: number, timezone: string): number {
  const zone = zoneOf(timezone);
  return startOfDay(dayAt(end - 1, zone) - trendDays + 1, zone);
}

function edge(ms: number | null): string | null {
  return ms === null ? null : formatEdge(ms);
}

const daysOf: Readonly<Record<string, number>> = { hour: 1 / 24, day: 1, week: 7, month: 28, year: 365 };

/**
 * Estimates how many points the query of a trend requests, at most as many as a trend may have. The query is not validated yet: when it cannot
 * be read the estimate is 0, and the request is refused later.
 */
export function estimatePoints({ interval, from, to }: Readonly<Record<string, unknown>>, now: number): number {
  const end = to === undefined ? now + msPerDay : dateOf(to);
  const start = from === undefined ? end - trendDays * msPerDay : dateOf(from);
  const points = Math.ceil((end - start) / msPerDay / (daysOf[String(interval ?? "day")] ?? Number.NaN));
  return points > 0 ? Math.min(points, maxBuckets) : 0;
}

/** The date at the beginning of a date or date-time. */
function dateOf(text: unknown): number {
  return Date.parse(String(text).slice(0, 10));
}
