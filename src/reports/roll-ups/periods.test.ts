import * as fc from "fast-check";
import { expect, test } from "vitest";
import { balance, decompose, grains, type Span, splitForDonators, wholePeriod } from "./periods.ts";

// Starts of periods by Date at +07:00, a second way to say them; years stay in four digits there.
const shift = 7 * 3_600_000;
const starts: Record<number, (period: number) => number> = {
  1: (period) => period * 900_000,
  2: (period) => period * 3_600_000,
  3: (period) => Date.UTC(1970, 0, 1 + period) - shift,
  4: (period) => Date.UTC(1969, 11, 29 + 7 * period) - shift,
  5: (period) => new Date(0).setUTCFullYear(0, period, 1) - shift,
  6: (period) => new Date(0).setUTCFullYear(period, 0, 1) - shift,
};
const instants = fc.oneof(
  fc.integer({ min: -62_000_000_000_000, max: 253_000_000_000_000 }),
  fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 }),
  fc.integer({ min: 1_900_000, max: 2_000_000 }).map((quarters) => quarters * 900_000),
  fc.integer({ min: 20_000, max: 20_800 }).map((days) => days * 86_400_000 - shift),
);
const spans = fc
  .tuple(instants, instants)
  .filter(([a, b]) => a !== b)
  .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) }));

test.each(Object.entries(grains))("the parts of a span by the grains of %s follow each other without gap", (_, largestFirst) => {
  fc.assert(
    fc.property(spans, (span) => {
      const { periods, partials } = decompose(span, largestFirst);
      const ends = [
        ...periods.map(({ grain, first, last }) => ({ from: starts[grain]!(first), to: starts[grain]!(last + 1) })),
        ...partials,
      ].sort((a, b) => a.from - b.from);
      expect([ends[0]!.from, ends.at(-1)!.to]).toEqual([span.from, span.to]);
      for (const [index, { from, to }] of ends.entries()) {
        expect(from).toBeLessThan(to);
        if (index > 0) expect(from).toBe(ends[index - 1]!.to);
      }
    }),
  );
});

test("the parts of a span that are added, without those that are subtracted, cover each of its instants once", () => {
  fc.assert(
    fc.property(spans, fc.constantFrom(...Object.values(grains)), (span, largestFirst) => {
      const { periods, partials } = balance(span, largestFirst);
      const parts = [
        ...periods.map(({ grain, first, last, sign = 1 }) => ({ from: starts[grain]!(first), to: starts[grain]!(last + 1), sign })),
        ...partials.map(({ from, to, sign = 1 }) => ({ from, to, sign })),
      ];
      const ends = [...new Set(parts.flatMap(({ from, to }) => [from, to]).concat(span.from, span.to))].sort((a, b) => a - b);
      for (const instant of ends) {
        const times = parts.filter(({ from, to }) => from <= instant && instant < to).reduce((sum, { sign }) => sum + sign, 0);
        expect(times).toBe(span.from <= instant && instant < span.to ? 1 : 0);
      }
    }),
  );
});

test("the sums of a year of another zone are those of a year of +07:00 and of fourteen hours", () => {
  const [from, to] = [Date.UTC(2025, 0, 1), Date.UTC(2026, 0, 1)];
  const hour = (ms: number) => ms / 3_600_000;
  expect(balance({ from, to }, grains.sums)).toEqual({
    periods: [
      { grain: 2, first: hour(from) - 7, last: hour(from) - 1, sign: -1 },
      { grain: 6, first: 2025, last: 2025, sign: 1 },
      { grain: 2, first: hour(to) - 7, last: hour(to) - 1, sign: 1 },
    ],
    partials: [],
  });
});

test("the parts for counting donators follow each other without gap", () => {
  fc.assert(
    fc.property(spans, (span) => {
      const { periods, cuts, partials } = splitForDonators(span);
      const ends = [
        ...periods.map(({ grain, first, last }) => ({ from: starts[grain]!(first), to: starts[grain]!(last + 1) })),
        ...cuts,
        ...partials,
      ].sort((a, b) => a.from - b.from);
      expect([ends[0]!.from, ends.at(-1)!.to]).toEqual([span.from, span.to]);
      for (const [index, { from, to }] of ends.entries()) {
        expect(from).toBeLessThan(to);
        if (index > 0) expect(from).toBe(ends[index - 1]!.to);
      }
      for (const { grain, period, from, to, missing } of cuts) {
        const whole = { from: starts[grain]!(period), to: starts[grain]!(period + 1) };
        expect([whole.from === from, whole.to === to].sort()).toEqual([false, true]);
        expect((to - from) * 2).toBeGreaterThanOrEqual(whole.to - whole.from);
        const rest = whole.from === from ? { from: to, to: whole.to } : { from: whole.from, to: from };
        if (missing) expect({ from: starts[missing.grain]!(missing.first), to: starts[missing.grain]!(missing.last + 1) }).toEqual(rest);
      }
    }),
  );
});

test("a year of another zone is a year of +07:00 and some hours", () => {
  const [from, to] = [Date.UTC(2025, 0, 1), Date.UTC(2026, 0, 1)];
  const hour = (ms: number) => ms / 3_600_000;
  expect(splitForDonators({ from, to })).toEqual({
    periods: [{ grain: 2, first: hour(to) - 7, last: hour(to) - 1 }],
    cuts: [{ grain: 6, period: 2025, from, to: to - shift, missing: { grain: 2, first: hour(from) - 7, last: hour(from) - 1 } }],
    partials: [],
  });
});

test("a span reads two partial periods at most, each shorter than two of the smallest periods, and two runs of each grain", () => {
  fc.assert(
    fc.property(spans, (span) => {
      const { periods, partials } = decompose(span, grains.sums);
      expect(partials.length).toBeLessThanOrEqual(2);
      for (const { from, to } of partials) expect(to - from).toBeLessThan(2 * 900_000);
      for (const grain of [1, 2, 3, 5, 6]) expect(periods.filter((run) => run.grain === grain).length).toBeLessThanOrEqual(2);
    }),
  );
});

test("an unbounded end of a span needs no partial period, and all time is one period", () => {
  const at = Date.UTC(2026, 10, 19, 17);
  for (const span of [
    { from: at, to: null },
    { from: null, to: at },
  ] satisfies Span[])
    expect(decompose(span, grains.sums).partials).toEqual([]);
  expect(decompose({ from: null, to: null }, grains.sums)).toEqual({ periods: [{ grain: 7, first: 0, last: 0 }], partials: [] });
});

test("a day, a week, a month and a year of +07:00 and an hour are one period, and other spans are none", () => {
  const local = (year: number, month: number, day: number) => Date.UTC(year, month, day) - shift;
  const grainOf = (from: number, to: number) => wholePeriod({ from, to })?.grain ?? null;
  expect(grainOf(local(2026, 10, 20), local(2026, 10, 21))).toBe(3);
  expect(grainOf(local(2026, 10, 16), local(2026, 10, 23))).toBe(4);
  expect(grainOf(local(2026, 10, 1), local(2026, 11, 1))).toBe(5);
  expect(grainOf(local(2026, 0, 1), local(2027, 0, 1))).toBe(6);
  expect(grainOf(0, 3_600_000)).toBe(2);
  expect(grainOf(local(2026, 10, 17), local(2026, 10, 24))).toBeNull();
  expect(grainOf(0, 1)).toBeNull();
});
