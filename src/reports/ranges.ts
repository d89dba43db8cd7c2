// Resolves the range of a report, and the periods around the present time.

import type { Temporal } from "temporal-polyfill";
import type { Schemas } from "../http/operations.ts";
import { Problem } from "../http/problem.ts";
import { type RangeParameters, resolveRange } from "../http/range.ts";
import { summedIn } from "../http/summed-currency.ts";
import { formatInstant } from "../time/instant.ts";
import { type Closed, dateAt, startOf, startOfDate } from "./calendar.ts";
import type { Span } from "./periods.ts";

type Members = Pick<Schemas["DonationStats"], "from" | "to" | "timezone" | "currency">;

const trendDays = 30;
const widestOffset = 23 * 60 + 59;

/** The first members of every report. */
export function rangeMembers(range: Span, timezone: string): Members {
  return { from: edge(range.from), to: edge(range.to), timezone, currency: summedIn };
}

/** Formats an instant near the edges of the years 0000 to 9999: an offset keeps the year at four digits. */
export function formatEdge(ms: number): string {
  return formatInstant(ms, ms < 0 ? widestOffset : -widestOffset);
}

/** The range of a trend. A missing `to` is the end of today; a missing `from` is 30 local days before the end. */
export function trendRange({ from, to, timezone }: RangeParameters, now: number): Closed {
  const given = resolveRange({ from, to, timezone });
  const end = given.to ?? startOfDate(dateAt(now, timezone).add({ days: 1 }), timezone);
  const range = { from: given.from ?? daysBack(end, timezone), to: end };
  if (range.from >= range.to) throw new Problem("invalid_range", "from must be before the end of today when there is no to.");
  return range;
}

const days = new Map<string, Closed>();
const maxZones = 1_000;

/** The local day of an instant, computed once a day for each zone. Throws invalid_range for an unknown zone. */
export function localDayAt(now: number, timezone: string): Closed {
  const known = days.get(timezone);
  if (known && known.from <= now && now < known.to) return known;
  resolveRange({ timezone });
  const date = dateAt(now, timezone);
  const day = { from: startOfDate(date, timezone), to: startOfDate(date.add({ days: 1 }), timezone) };
  if (days.size >= maxZones) days.clear(); // bounded, because a client may send a zone's name in any mixture of cases
  days.set(timezone, day);
  return day;
}

export type PeriodName = keyof Schemas["Periods"];
export type PeriodSpans = Readonly<{ span: Span; previous: Span | null }>;

/** Today, this week, this month and this year, up to the end of today, each with as many local days before it; and all time. */
export function periodsAt(now: number, timezone: string): Record<PeriodName, PeriodSpans> {
  const today = dateAt(now, timezone);
  const since = (first: Temporal.PlainDate): PeriodSpans => {
    const after = today.add({ days: 1 });
    const before = first.subtract({ days: first.until(after, { largestUnit: "days" }).days });
    const [from, to, previousFrom] = [first, after, before].map((date) => startOfDate(date, timezone)) as [number, number, number];
    return { span: { from, to }, previous: { from: previousFrom, to: from } };
  };
  return {
    today: since(today),
    thisWeek: since(startOf("week", today)),
    thisMonth: since(startOf("month", today)),
    thisYear: since(startOf("year", today)),
    allTime: { span: { from: null, to: null }, previous: null },
  };
}

function daysBack(end: number, timezone: string): number {
  return startOfDate(dateAt(end - 1, timezone).subtract({ days: trendDays - 1 }), timezone);
}

function edge(ms: number | null): string | null {
  return ms === null ? null : formatEdge(ms);
}
