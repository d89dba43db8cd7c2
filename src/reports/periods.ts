// The grains of the roll-ups, and how a range is put together from their periods. Pure. The numbers are those of the
// migration: hours and quarters of UTC; days, weeks, months and years at +07:00, the offset of the default time zone.

import { daysFromCivil } from "../time/instant.ts";

/** Half-open, in milliseconds; null is without bound. */
export type Span = Readonly<{ from: number | null; to: number | null }>;

/** Periods `first` to `last` of one grain, or the donations themselves in a stretch smaller than a period. */
export type Piece = Readonly<{ grain: number; first: number; last: number }>;
export type Sliver = Readonly<{ from: number; to: number }>;
export type Pieces = Readonly<{ periods: readonly Piece[]; slivers: readonly Sliver[] }>;

export type Grains = readonly Grain[];
type Grain = Readonly<{
  number: number;
  /** The period that an instant lies in. */
  at: (ms: number) => number;
  /** The first instant of a period. */
  start: (period: number) => number;
}>;

const msPerDay = 86_400_000;
const shift = 7 * 3_600_000;
const epochWeekday = 3; // 1970-01-01 was a Thursday
const lowest = -(2 ** 31);
const highest = 2 ** 31 - 1;

const quarter = every(1, 900_000, 0);
const hour = every(2, 3_600_000, 0);
const day = every(3, msPerDay, shift);
const week: Grain = {
  number: 4,
  at: (ms) => Math.floor((day.at(ms) + epochWeekday) / 7),
  start: (period) => day.start(period * 7 - epochWeekday),
};
const month: Grain = { number: 5, at: (ms) => monthAt(ms + shift), start: (period) => monthStart(period) - shift };
const year: Grain = { number: 6, at: (ms) => Math.floor(month.at(ms) / 12), start: (period) => month.start(period * 12) };
const allTime = 7;

/** Which grains each roll-up has, the largest first. Weeks do not nest in months: they serve whole weeks only. */
export const grains = {
  sums: [year, month, day, hour, quarter],
  donators: [year, month, day, hour],
  amounts: [year, month, day],
} as const;

/** Cuts a span into as few whole periods as possible and, at its edges, slivers of donations. */
export function decompose({ from, to }: Span, largestFirst: Grains): Pieces {
  if (from === null && to === null) return { periods: [{ grain: allTime, first: 0, last: 0 }], slivers: [] };
  const [grain, ...smaller] = largestFirst;
  if (!grain) return { periods: [], slivers: [{ from: from ?? Number.NaN, to: to ?? Number.NaN }] };
  const first = from === null ? lowest : grain.at(from - 1) + 1;
  const last = to === null ? highest : grain.at(to) - 1;
  if (first > last) return decompose({ from, to }, smaller);
  const before = from === null || grain.start(first) === from ? nothing : decompose({ from, to: grain.start(first) }, smaller);
  const after = to === null || grain.start(last + 1) === to ? nothing : decompose({ from: grain.start(last + 1), to }, smaller);
  return {
    periods: [...before.periods, { grain: grain.number, first, last }, ...after.periods],
    slivers: [...before.slivers, ...after.slivers],
  };
}

/** The one period that a span is, of the grains that count donators; null when it is none. */
export function wholePeriod({ from, to }: Span): Piece | null {
  if (from === null && to === null) return { grain: allTime, first: 0, last: 0 };
  if (from === null || to === null) return null;
  const grain = [hour, day, week, month, year].find(({ at, start }) => start(at(from)) === from && start(at(from) + 1) === to);
  return grain ? { grain: grain.number, first: grain.at(from), last: grain.at(from) } : null;
}

const nothing: Pieces = { periods: [], slivers: [] };

function every(number: number, length: number, offset: number): Grain {
  return { number, at: (ms) => Math.floor((ms + offset) / length), start: (period) => period * length - offset };
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
