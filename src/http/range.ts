// From the caller's `from`, `to` and `timezone` to a half-open range of instants. SQL never sees a zone name.

import { Temporal } from "temporal-polyfill";
import { parseInstant } from "../time/instant.ts";
import { type Fault, Problem } from "./problem.ts";

/** Instants from `from` up to but not including `to`, in milliseconds; null is without bound. */
export type Range = Readonly<{ from: number | null; to: number | null }>;

export type RangeParameters = { from?: string | undefined; to?: string | undefined; timezone: string };

/**
 * A date is the local day (`to` includes it), a date-time is itself. Throws invalid_range for an unknown zone,
 * and where the range is empty or reversed; `others` are faults of filters beside it, named in the same problem.
 */
export function resolveRange({ from, to, timezone }: RangeParameters, others: readonly Fault[] = []): Range {
  const known = isZone(timezone);
  const start = known && from !== undefined ? startOf(from, timezone) : null;
  const end = known && to !== undefined ? endOf(to, timezone) : null;
  const faults: Fault[] = [...others];
  if (!known) faults.push({ parameter: "timezone", code: "invalid_format", message: "must be an IANA name such as Asia/Bangkok" });
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

/** The first instant of a local day; not always 00:00, where clocks go forward at midnight. */
function startOfDay(date: string, plusDays: number, timezone: string): number {
  return Temporal.PlainDate.from(date).add({ days: plusDays }).toZonedDateTime(timezone).epochMilliseconds;
}

function isDate(bound: string): boolean {
  return !bound.includes("T");
}

/** Temporal also takes offsets such as +07:00, which are not IANA names. */
function isZone(timezone: string): boolean {
  return /^[A-Za-z]/.test(timezone) && isKnown(timezone);
}

const knownZones = new Set<string>();

function isKnown(timezone: string): boolean {
  const name = timezone.toLowerCase(); // each zone once, however its name is written: a long one has millions of spellings
  const known = knownZones.has(name) || canFormat(name);
  if (known) knownZones.add(name);
  return known;
}

function canFormat(timezone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: timezone });
    return true;
  } catch {
    return false;
  }
}
