// The grains of the roll-ups, and how a range is composed of their periods. Pure. The grains are those of the migration: hours and quarters of
// an hour in UTC; days, weeks, months and years at +07:00, the offset of the default time zone.

import { daysFromCivil } from "../../base/instant.ts";
import { msPerDay } from "../../base/local-days.ts";

/** A half-open span in milliseconds since 1970; null is without bound. */
export type Span = Readonly<{ from: number | null; to: number | null }>;

/**
 * Periods `first` to `last` of one grain, or the donations themselves in a part that is smaller than a period. `sign`: 1 when they are added,
 * which is the default, and -1 when they are subtracted.
 */
export type PeriodRun = Readonly<{ grain: number; first: number; last: number; sign?: Sign }>;
export type PartialPeriod = Readonly<{ from: number; to: number; sign?: Sign }>;
type Sign = 1 | -1;
type RangeParts = Readonly<{ periods: readonly PeriodRun[]; partials: readonly PartialPeriod[] }>;

/** The beginning or the end of one period. `missing`: the remaining hours of the period, when they are a day or less. */
export type Cut = Readonly<{ grain: number; period: number; missing: PeriodRun | null }> & PartialPeriod;
export type Gathered = RangeParts & Readonly<{ cuts: readonly Cut[] }>;

export type Grains = readonly Grain[];
type Grain = Readonly<{
  number: number;
  /** The period of an instant. */
  at: (ms: number) => number;
  /** The first instant of a period. */
  start: (period: number) => number;
  /** The duration of the shortest period, in milliseconds. */
  shortest: number;
}>;

const shift = 7 * 3_600_000;
const epochWeekday = 3; // 1970-01-01 was a Thursday
const minPeriod = -(2 ** 31);
const maxPeriod = 2 ** 31 - 1;

const quarter = fixedGrain(1, 900_000, 0);
const hour = fixedGrain(2, 3_600_000, 0);
const day = fixedGrain(3, msPerDay, shift);
const week: Grain = {
  number: 4,
  at: (ms) => Math.floor((day.at(ms) + epochWeekday) / 7),
  start: (period) => day.start(period * 7 - epochWeekday),
  shortest: 7 * msPerDay,
};
const shortestMonth = 28 * msPerDay;
const month: Grain = {
  number: 5,
  at: (ms) => monthAt(ms + shift),
  start: (period) => monthStart(period) - shift,
  shortest: shortestMonth,
};
const year: Grain = {
  number: 6,
  at: (ms) => Math.floor(month.at(ms) / 12),
  start: (period) => month.start(period * 12),
  shortest: 365 * msPerDay,
};
const allTime = 7;

/** The grains of each roll-up, the largest first. Weeks do not nest in months, so they are used for whole weeks only. */
export const grains = {
  sums: [year, month, day, hour, quarter],
  donators: [year, month, day, hour],
  amounts: [year, month, day],
} as const;

/** Cuts a span into as few whole periods as possible and, at its edges, partial periods of donations. */
export function decompose(span: Span, largestFirst: Grains): RangeParts {
  const { from, to } = span;
  // Most spans are buckets of a trend and smaller than the larger grains, which are then skipped.
  const fitting = from === null || to === null ? largestFirst : largestFirst.filter(({ shortest }) => shortest <= to - from);
  const { periods, partials } = split(span, fitting, []);
  return { periods, partials };
}

/**
 * Composes a span for what can be subtracted (sums and counts): whole periods, and what the span has more or less than these. A year of another
 * zone is a year of +07:00 and a few hours at both ends, some of them subtracted, instead of eleven months, days and hours.
 */
export function balance({ from, to }: Span, largestFirst: Grains): RangeParts {
  if (from === null && to === null) return { periods: [{ grain: allTime, first: 0, last: 0 }], partials: [] };
  const fitting = from === null || to === null ? largestFirst : largestFirst.filter(({ shortest }) => shortest <= to - from);
  return balanced({ from, to }, fitting, 1);
}

function balanced({ from, to }: Span, [grain, ...smaller]: Grains, sign: Sign): RangeParts {
  if (from === to) return nothing;
  if (!grain) return { periods: [], partials: [{ from: from ?? Number.NaN, to: to ?? Number.NaN, sign }] };
  const first = from === null ? minPeriod : nearest(grain, from);
  const after = to === null ? maxPeriod : nearest(grain, to);
  if (first >= after) return balanced({ from, to }, smaller, sign);
  const opposite = sign === 1 ? -1 : 1;
  const edge = (a: number, b: number) => balanced({ from: Math.min(a, b), to: Math.max(a, b) }, smaller, a < b ? sign : opposite);
  const before = from === null ? nothing : edge(from, grain.start(first));
  const behind = to === null ? nothing : edge(grain.start(after), to);
  return {
    periods: [...before.periods, { grain: grain.number, first, last: after - 1, sign }, ...behind.periods],
    partials: [...before.partials, ...behind.partials],
  };
}

/** The period whose first instant is nearest. */
function nearest({ at, start }: Grain, ms: number): number {
  const period = at(ms);
  return ms - start(period) <= start(period + 1) - ms ? period : period + 1;
}

/**
 * Cuts a span for counting donators: when most of a long period is needed, the whole period is read. Each donator of a period has a first and a
 * last time there, which tell whether the donator is in its beginning or its end.
 */
export function splitForDonators(span: Span): Gathered {
  const short = span.from !== null && span.to !== null && span.to - span.from < shortestMonth;
  // Not cut at the end of a week: less than half of it is needed.
  if (short && (span.to - span.from) * 2 < week.shortest) return split(span, [day, hour], []);
  return split(span, short ? [week, day, hour] : grains.donators, short ? [week] : [year, month]);
}

function split({ from, to }: Span, [grain, ...smaller]: Grains, cuttable: Grains): Gathered {
  if (from === null && to === null) return { ...nothing, periods: [{ grain: allTime, first: 0, last: 0 }] };
  if (!grain) return { ...nothing, partials: [{ from: from ?? Number.NaN, to: to ?? Number.NaN }] };
  const first = from === null ? minPeriod : grain.at(from - 1) + 1;
  const last = to === null ? maxPeriod : grain.at(to) - 1;
  if (first > last + (cuttable.includes(grain) ? 1 : 0)) return split({ from, to }, smaller, cuttable);
  const edge = (period: number, part: PartialPeriod): Gathered => {
    if (part.from === part.to) return nothing;
    const most = (part.to - part.from) * 2 >= grain.start(period + 1) - grain.start(period);
    if (most && cuttable.includes(grain))
      return { ...nothing, cuts: [{ grain: grain.number, period, ...part, missing: missingHours(grain, period, part) }] };
    return split(part, smaller, cuttable);
  };
  const before = from === null ? nothing : edge(first - 1, { from, to: grain.start(first) });
  const after = to === null ? nothing : edge(last + 1, { from: grain.start(last + 1), to });
  return {
    periods: [...before.periods, ...(first > last ? [] : [{ grain: grain.number, first, last }]), ...after.periods],
    cuts: [...before.cuts, ...after.cuts],
    partials: [...before.partials, ...after.partials],
  };
}

/** The hours of a period before or after its part; null when they are more than a day or not whole hours. */
function missingHours({ start }: Grain, period: number, part: PartialPeriod): PeriodRun | null {
  const [from, to] = part.to === start(period + 1) ? [start(period), part.from] : [part.to, start(period + 1)];
  const hours = to - from <= msPerDay && hour.start(hour.at(from)) === from && hour.start(hour.at(to)) === to;
  return hours ? { grain: hour.number, first: hour.at(from), last: hour.at(to) - 1 } : null;
}

/** The period that equals the span, among the grains that count donators; null when there is none. */
export function wholePeriod({ from, to }: Span): PeriodRun | null {
  if (from === null && to === null) return { grain: allTime, first: 0, last: 0 };
  if (from === null || to === null) return null;
  const grain = [hour, day, week, month, year].find(({ at, start }) => start(at(from)) === from && start(at(from) + 1) === to);
  return grain ? { grain: grain.number, first: grain.at(from), last: grain.at(from) } : null;
}

const nothing: Gathered = { periods: [], cuts: [], partials: [] };

function fixedGrain(number: number, length: number, offset: number): Grain {
  return { number, at: (ms) => Math.floor((ms + offset) / length), start: (period) => period * length - offset, shortest: length };
}

/** Counted from January of the year 0; V8's Date knows every year that a range can reach. */
function monthAt(ms: number): number {
  const date = new Date(ms);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

function monthStart(period: number): number {
  const inYear = ((period % 12) + 12) % 12;
  return daysFromCivil((period - inYear) / 12, inYear + 1, 1) * msPerDay;
}
