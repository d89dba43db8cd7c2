// The span of days that the money page is about: the last 7, 30 or 90 days, a year, or days of the streamer's choice.

import { msPerDay, startOfDay, zoneOf } from "../../base/local-days.ts";
import { isLocalDay } from "../../http/contract/published.ts";
import type { Schemas } from "../../http/operations.ts";
import type { Fault } from "../../http/problem.ts";
import { firstDayOf } from "../../reports/calendar.ts";
import { sameTimeOn } from "./periods.ts";

export const spanNames = ["7", "30", "90", "year", "own"] as const;
export type SpanName = (typeof spanNames)[number];

export type MoneySpan = Readonly<{
  name: SpanName;
  /** Local days, both inclusive, such as `2026-11-21`; of an own span as they were typed. */
  from: string;
  to: string;
  endsToday: boolean;
  /** What one bar of the chart is. */
  interval: Exclude<Schemas["Interval"], "hour">;
}>;

const lastDays: Readonly<Record<Exclude<SpanName, "own">, number>> = { "7": 7, "30": 30, "90": 90, year: 52 * 7 };

/** The span that an address asks for; 30 days without one. Of an instant, which reports take as well, the day. `today`: the local day of now. */
export function readSpan(query: URLSearchParams, today: string): MoneySpan {
  const name = spanNames.find((known) => known === query.get("span")) ?? "30";
  if (name !== "own") return { name, from: firstDay(name, today), to: today, endsToday: true, interval: name === "year" ? "week" : "day" };
  const day = (bound: "from" | "to") => query.get(bound)?.trim().replace(/T.*/, "");
  const typed = { from: day("from") || firstDay("30", today), to: day("to") || today };
  return { name, ...typed, endsToday: typed.to === today, interval: intervalOf(daysOf(typed)) };
}

/** A year begins with a Monday, so that its first bar is a whole week. */
function firstDay(name: Exclude<SpanName, "own">, today: string): string {
  const last = numberOf(today);
  return dayOf((name === "year" ? firstDayOf("week", last) + 7 : last + 1) - lastDays[name]);
}

/** So few bars that they can be told apart. */
function intervalOf(days: number): MoneySpan["interval"] {
  if (days <= 92) return "day";
  if (days <= 2 * 366) return "week";
  return days <= 10 * 366 ? "month" : "year";
}

type Days = Readonly<{ from: string; to: string }>;

export function daysOf({ from, to }: Days): number {
  return numberOf(to) - numberOf(from) + 1;
}

/** Days that are sound by themselves, and in the wrong order. */
export function findReversedDays({ from, to }: Days): Fault[] {
  return isLocalDay(from) && isLocalDay(to) && to < from ? [{ parameter: "to", code: "out_of_range", message: "must be after from" }] : [];
}

/**
 * As many days before the span; of a span that ends today, until the time of day that it is now. `to` is excluded, in milliseconds since 1970.
 */
export function daysBefore(
  span: Days & Pick<MoneySpan, "endsToday">,
  now: number,
  timeZone: string,
): Readonly<{ from: number; to: number }> {
  const zone = zoneOf(timeZone);
  const [first, days] = [numberOf(span.from), daysOf(span)];
  return { from: startOfDay(first - days, zone), to: span.endsToday ? sameTimeOn(first - 1, now, zone) : startOfDay(first, zone) };
}

/** Days since 1970-01-01. */
function numberOf(day: string): number {
  return Date.parse(`${day}T00:00:00Z`) / msPerDay;
}

function dayOf(number: number): string {
  return new Date(number * msPerDay).toISOString().slice(0, 10);
}
