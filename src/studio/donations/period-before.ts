// The span before a period that is as far on as the period is now: yesterday until this time of day, last week until this weekday and time,
// last month until this day and time.

import { dayAt, msPerDay, startOfDay, type Zone, zoneOf } from "../../base/local-days.ts";

export type ComparedPeriod = "today" | "thisWeek" | "thisMonth";

/** Instants in milliseconds since 1970; `to` is excluded. `isWhole`: the month before has no such day, and all of it is compared. */
type SpanBefore = Readonly<{ from: number; to: number; isWhole: boolean }>;

/** `total`: of the donations in the span. Null where a period has just begun. */
export type ComparedPeriods = Readonly<Record<ComparedPeriod, (SpanBefore & Readonly<{ total: number }>) | null>>;

export function spanBefore(period: ComparedPeriod, now: number, timeZone: string): SpanBefore {
  const zone = zoneOf(timeZone);
  const today = dayAt(now, zone);
  if (period === "today") return { from: startOfDay(today - 1, zone), to: sameTimeOn(today - 1, now, zone), isWhole: false };
  if (period === "thisWeek") {
    const monday = today - ((today + 3) % 7); // 1970-01-01 was a Thursday
    return { from: startOfDay(monday - 7, zone), to: sameTimeOn(today - 7, now, zone), isWhole: false };
  }
  const date = new Date(today * msPerDay);
  const [first, before] = [dayOf(date, 0), dayOf(date, -1)];
  const same = before + (today - first);
  const isWhole = same >= first;
  return { from: startOfDay(before, zone), to: isWhole ? startOfDay(first, zone) : sameTimeOn(same, now, zone), isWhole };
}

/** The first day of the date's month, or of one so many months away. */
function dayOf(date: Date, months: number): number {
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1) / msPerDay;
}

/** The instant when clocks show on this local day what they show now. */
function sameTimeOn(day: number, now: number, zone: Zone): number {
  const offset = zone.offsetAt(now);
  const guess = now + (day - dayAt(now, zone)) * msPerDay;
  return Math.max(guess + offset - zone.offsetAt(guess), startOfDay(day, zone));
}
