import { describe, expect, test } from "vitest";

import type { Query } from "../../suite/client/api.ts";
import { type Day, dayNumber, dayOf, dayText, digits } from "../../suite/contract/date-time.ts";
import { report } from "../../suite/models/reports.ts";

// The labels and the bounds of buckets, over hundreds of years: every way in which weeks, months and leap days can meet the end of a year.

/** Zones that never change their clocks, ahead of UTC by so many minutes. */
const zones = [
  ["UTC", 0],
  ["Etc/GMT-14", 14 * 60],
  ["Etc/GMT+11", -11 * 60],
] as const;

/** Fewer than the 1,000 buckets that one trend may have. */
const spans = {
  day: [1899, 1999, 2023, 2099, 2399].map((year) => [year, year + 1]),
  week: [0, 1582, 1890, 1999, 2018, 2390, 9980].map((year) => [year, year + 18]),
  month: [0, 1580, 1960, 9917].map((year) => [year, year + 82]),
  year: [0, 1500, 9000].map((year) => [year, year + 999]),
} as const;

type Calendar = keyof typeof spans;

const yearOf = (day: number): number => dayOf(day)?.year ?? 10_000;

/** Days since 0000-01-01, a Saturday, that are Mondays leave 2 when divided by 7. */
const mondayOf = (day: number): number => day - ((((day - 2) % 7) + 7) % 7);

/** Week 1 of a year is the week of 4 January (ISO 8601). */
const firstMonday = (year: number): number => mondayOf(dayNumber({ year, month: 1, day: 4 }));

function weekOf(day: number): string {
  const year = yearOf(day);
  const own = [year + 1, year].find((one) => firstMonday(one) <= day) ?? year - 1;
  const number = (mondayOf(day) - (own < 0 ? mondayOf(-362) : firstMonday(own))) / 7 + 1;
  return `${own > 9999 ? `+${digits(own, 6)}` : own < 0 ? `-${digits(-own, 6)}` : digits(own, 4)}-W${digits(number, 2)}`;
}

const numbers = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);

/** The labels of the buckets from the first day of one year to the last day of another. */
const labelsOf: Record<Calendar, (begin: number, end: number) => string[]> = {
  day: (begin, end) => numbers(firstDayOf(begin), lastDayOf(end)).map(textOf),
  week: (begin, end) => [...new Set([...numbers(firstDayOf(begin), lastDayOf(end), 7), lastDayOf(end)].map(weekOf))],
  month: (begin, end) => numbers(begin, end).flatMap((year) => numbers(1, 12).map((month) => `${digits(year, 4)}-${digits(month, 2)}`)),
  year: (begin, end) => numbers(begin, end).map((year) => digits(year, 4)),
};

const firstDayOf = (year: number): number => dayNumber({ year, month: 1, day: 1 });
const lastDayOf = (year: number): number => dayNumber({ year, month: 12, day: 31 });
const textOf = (day: number): string => dayText(dayOf(day) as Day);

describe.each(zones)("%s", (timezone, ahead) => {
  const designator = `${ahead < 0 ? "-" : "+"}${digits(Math.floor(Math.abs(ahead) / 60), 2)}:${digits(Math.abs(ahead) % 60, 2)}`;

  test.each(Object.keys(spans) as Calendar[])(
    `buckets of %s in ${timezone} bear the right label at every edge of a year, a month and a leap day, and begin at local midnight`,
    async (interval) => {
      for (const [begin = 0, end = 0] of spans[interval]) {
        const query: Query = { interval, timezone, from: textOf(firstDayOf(begin)), to: textOf(lastDayOf(end)) };
        const { points, from: start, to: stop, interval: stated } = await report("trends/amount", query);
        expect(stated).toBe(interval);
        expect(points.map(({ from }) => from)).toEqual([start, ...points.slice(0, -1).map(({ to }) => to)]);
        expect(points.at(-1)?.to).toBe(stop);
        expect(points.map(({ label }) => label)).toEqual(labelsOf[interval](begin, end));
        for (const { from } of points) expect((Date.parse(from) + ahead * 60_000) % 86_400_000).toBeCloseTo(0);
      }
    },
  );

  test.each(["1899-12-31", "2000-02-28", "2023-12-31", "2024-02-28", "2024-12-31", "2100-02-28"])(
    `hours in ${timezone} bear the right label from %s to the day after the next`,
    async (from) => {
      const [year = 0, month = 0, day = 0] = from.split("-").map(Number);
      const first = dayNumber({ year, month, day });
      const query: Query = { interval: "hour", timezone, from, to: textOf(first + 2) };
      const { points } = await report("trends/amount", query);
      const expected = Array.from({ length: 72 }, (_, hour) => {
        const label = `${textOf(first + Math.floor(hour / 24))}T${digits(hour % 24, 2)}:00${designator}`;
        return [label, Date.parse(label)];
      });
      expect(points.map(({ label, from: begin }) => [label, Date.parse(begin)])).toEqual(expected);
    },
  );
});

test.each([
  ["Asia/Kolkata", "+05:30"],
  ["Asia/Kathmandu", "+05:45"],
  ["Pacific/Marquesas", "-09:30"],
])("hours in %s bear the minutes of the offset, %s", async (timezone, offset) => {
  const { points } = await report("trends/amount", { interval: "hour", timezone, from: "2024-12-31", to: "2025-01-01" });
  expect(points.map(({ label }) => label.slice(16))).toEqual(Array.from({ length: 48 }, () => offset));
  expect(points.map(({ label }) => Date.parse(label))).toEqual(points.map(({ from }) => Date.parse(from)));
});
