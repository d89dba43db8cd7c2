// Resolves `from`, `to` and `timezone` of a request into a half-open range of instants, so that no time zone is used in SQL.

import { daysFromCivil, parseInstant } from "../base/instant.ts";
import { isTimeZoneName, startOfDay as startOfLocalDay, zoneOf } from "../base/local-days.ts";
import { defaultTimezone } from "./contract/published.ts";
import { type Fault, Problem } from "./problem.ts";

/** Instants from `from` up to but not including `to`, in milliseconds; null is without bound. */
export type Range = Readonly<{ from: number | null; to: number | null }>;

export type RangeParameters = { from?: string | undefined; to?: string | undefined; timezone: string };

/**
 * A date means the local day (`to` includes it), a date-time an instant. Throws invalid_range for an unknown time zone and for an empty or
 * reversed range. `others`: faults of other filters, named in the same problem.
 */
export function resolveRange({ from, to, timezone }: RangeParameters, others: readonly Fault[] = []): Range {
  const known = isTimeZoneName(timezone);
  const start = known && from !== undefined ? startOf(from, timezone) : null;
  const end = known && to !== undefined ? endOf(to, timezone) : null;
  const faults: Fault[] = [...others];
  if (!known) faults.push({ parameter: "timezone", code: "invalid_format", message: `must be an IANA name such as ${defaultTimezone}` });
  if (start !== null && end !== null && start >= end) faults.push({ parameter: "to", code: "out_of_range", message: "must be after from" });
  if (faults.length > 0)
    throw new Problem("invalid_range", faults.map(({ parameter, message }) => `${parameter} ${message}`).join("; "), { errors: faults });
  return { from: start, to: end };
}

function startOf(bound: string, timezone: string): number {
  return isDate(bound) ? startOfDay(bound, 0, timezone) : parseInstant(bound).ms;
}

function endOf(bound: string, timezone: string): number {
  return isDate(bound) ? startOfDay(bound, 1, timezone) : parseInstant(bound).ms;
}

/** The first instant of a local day, or of one after it. */
function startOfDay(date: string, plusDays: number, timezone: string): number {
  const [year, month, day] = date.split("-").map(Number) as [number, number, number];
  return startOfLocalDay(daysFromCivil(year, month, day) + plusDays, zoneOf(timezone));
}

function isDate(bound: string): boolean {
  return !bound.includes("T");
}
