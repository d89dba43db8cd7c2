// Compares the parts of a report with the model.

import { expect } from "vitest";
import type { Schemas } from "../../http/operations.ts";
import type { Bound } from "./testing-cases.ts";
import { figuresOf, labelOf, localTime, type ModelDonation, nearest, rounded, sumOf } from "./testing-model.ts";

type Ends = { from: string | null; to: string | null };

export function donationsIn(donations: ModelDonation[], { from, to }: Ends): ModelDonation[] {
  const [first, after] = [
    from === null ? Number.NEGATIVE_INFINITY : parseInstant(from),
    to === null ? Number.POSITIVE_INFINITY : parseInstant(to),
  ];
  return donations.filter(({ createdAt }) => createdAt >= first && createdAt < after);
}

/** A date means a local day, from its first instant to its last; a date-time means an instant. */
export function expectRange(data: Ends, { timezone, from, to }: { timezone: string; from: Bound | null; to: Bound | null }): void {
  if (from === null) expect(data.from).toBeNull();
  else if (!from.date) expect(parseInstant(data.from!)).toBe(from.ms);
  else expectStartOfDay(parseInstant(data.from!), localTime(from.ms, timezone).dayNumber, timezone);
  if (to === null) expect(data.to).toBeNull();
  else if (!to.date) expect(parseInstant(data.to!)).toBe(to.ms);
  else expectStartOfDay(parseInstant(data.to!), localTime(to.ms, timezone).dayNumber + 1, timezone);
}

/** Expects the beginning of a local day: the instant before it belongs to an earlier day. */
function expectStartOfDay(ms: number, dayNumber: number, timezone: string): void {
  expect(localTime(ms, timezone).dayNumber).toBeGreaterThanOrEqual(dayNumber);
  expect(localTime(ms - 1, timezone).dayNumber).toBeLessThan(dayNumber);
}

export function expectPeriods(
  periods: Schemas["Periods"],
  { counted, timezone, now }: { counted: ModelDonation[]; timezone: string; now: number },
): void {
  const today = localTime(now, timezone);
  const since = {
    today: 0,
    thisWeek: today.weekday - 1,
    thisMonth: today.day - 1,
    thisYear: today.dayNumber - Math.floor(new Date(0).setUTCFullYear(today.year, 0, 1) / 86_400_000),
  };
  for (const [name, daysBefore] of Object.entries(since) as [keyof typeof since, number][]) {
    const { from, to, previous, change, ...figures } = periods[name];
    expectStartOfDay(parseInstant(from!), today.dayNumber - daysBefore, timezone);
    expectStartOfDay(parseInstant(to!), today.dayNumber + 1, timezone);
    expectStartOfDay(parseInstant(previous!.from!), today.dayNumber - 2 * daysBefore - 1, timezone);
    expect(previous!.to).toBe(from);
    const [inside, before] = [donationsIn(counted, { from, to }), donationsIn(counted, previous!)];
    expect(figures).toEqual(figuresOf(inside));
    expect(previous).toMatchObject({ total: nearest(sumOf(before)), count: before.length });
    expect(change).toEqual({
      total: finite(rounded((sumOf(inside) - sumOf(before)) * 100n, sumOf(before))),
      count: rounded(BigInt(inside.length - before.length) * 100n, BigInt(before.length)),
    });
  }
  expect(periods.allTime).toEqual({ from: null, to: null, ...figuresOf(counted), previous: null, change: null });
}

export function expectBreakdown(data: Schemas["ChannelBreakdown"], inRange: ModelDonation[]): void {
  const { total, count } = figuresOf(inRange);
  expect(data).toMatchObject({ total, count });
  const hundredths = data.channels.map(({ percentage }) => Math.round(percentage * 100));
  expect(hundredths.reduce((sum, one) => sum + one, 0)).toBe(count === 0 ? 0 : 10_000);
  const listed = new Set(data.channels.map(({ channel }) => channel));
  expect(listed.size, "the enum Channel of spec/donations.tsp has another number of members than this check").toBe(6);
  for (const [index, { channel, percentage: _, ...figures }] of data.channels.entries()) {
    const through = inRange.filter((one) => one.channel === channel);
    expect(figures).toEqual(figuresOf(through));
    // By the largest remainder each share is less than a hundredth away from the exact one.
    const off = sumOf(through) * 10_000n - BigInt(hundredths[index]!) * sumOf(inRange);
    expect((off < 0n ? -off : off) < sumOf(inRange) || count === 0).toBe(true);
  }
}

export function expectPoints(
  data: Schemas["AmountTrends"],
  { counted, interval, timezone }: { counted: ModelDonation[]; interval: Schemas["Interval"]; timezone: string },
): void {
  const ends = data.points.map(({ from, to }) => ({ from: parseInstant(from), to: parseInstant(to) }));
  expect([ends[0]!.from, ends.at(-1)!.to]).toEqual([parseInstant(data.from!), parseInstant(data.to!)]);
  // One assertion for all points of a kind, because an assertion costs more than the comparison.
  expect(ends.filter(({ from, to }) => from >= to)).toEqual([]);
  expect(ends.slice(1).map(({ from }) => from)).toEqual(ends.slice(0, -1).map(({ to }) => to));
  const labels = data.points.map(({ label }) => label);
  expect(ends.map(({ from }) => labelOf(from, interval, timezone))).toEqual(labels);
  expect(ends.map(({ to }) => labelOf(to - 1, interval, timezone))).toEqual(labels);
  const inRange = donationsIn(counted, data);
  const found = inRange.map(({ createdAt }) => labels[ends.findIndex(({ from, to }) => from <= createdAt && createdAt < to)]);
  expect(found).toEqual(inRange.map(({ createdAt }) => labelOf(createdAt, interval, timezone)));
  expect(new Set(labels).size).toBe(labels.length);
}

/** Answers are plain RFC 3339, also with an offset. */
export function parseInstant(instant: string): number {
  return Date.parse(instant);
}

/** A change of the smallest amounts can be beyond every JSON number. */
function finite(value: number | null): number | null {
  return Number.isFinite(value) ? value : null;
}
