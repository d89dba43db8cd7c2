// Estimates the points of a trend, by which the rate limit counts it.

import { msPerDay } from "../base/local-days.ts";
import { maxBuckets } from "../http/contract/published.ts";
import { trendDays } from "./ranges.ts";

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
