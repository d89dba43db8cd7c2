// The date of createdAt (interface 2.2.1, 2.2.2).

import fc from "fast-check";
import { describe, test } from "vitest";
import { holds, holdsForAll, holdsForEach } from "../suite/client/holds.ts";
import { daysIn, dayText, digits } from "../suite/contract/date-time.ts";
import { createdAt, expectAccepted, expectRefused, isAnsweredAsSpecified, twoDigitRules } from "../suite/models/verdicts.ts";
import { runs } from "../suite/values/depth.ts";
import { type Parts, parts, written } from "../suite/values/donations.ts";
import { expectEdges } from "../suite/values/score.ts";
import { target } from "../suite/values/target.ts";

const forms: [rule: string, (date: string) => string][] = [
  ["without hyphens", (date) => date.replaceAll("-", "")],
  ["with one hyphen", (date) => date.slice(0, 7) + date.slice(8)],
  ["with slashes", (date) => date.replaceAll("-", "/")],
  ["with dots", (date) => date.replaceAll("-", ".")],
  ["with U+2010 for a hyphen", (date) => date.replaceAll("-", "\u2010")],
  ["with a year of two digits", (date) => date.slice(2)],
  ["with a year of three digits", (date) => date.slice(1)],
  ["with a year of five digits", (date) => `0${date}`],
  ["with a year above 9999", (date) => `1${date}`],
  ["with a signed year", (date) => `+${date}`],
  ["with an expanded year", (date) => `+00${date}`],
  ["with a negative year", (date) => `-${date}`],
  ["with a month of one digit", (date) => `${date.slice(0, 5)}1${date.slice(7)}`],
  ["with a month of three digits", (date) => `${date.slice(0, 5)}0${date.slice(5)}`],
  ["with a month of letters", (date) => `${date.slice(0, 5)}Jan${date.slice(7)}`],
  ["with a day of one digit", (date) => `${date.slice(0, 8)}1`],
  ["with a day of three digits", (date) => `${date.slice(0, 8)}0${date.slice(8)}`],
  ["without a day", (date) => date.slice(0, 7)],
  ["without a day, but its hyphen", (date) => date.slice(0, 8)],
  ["without a year", (date) => date.slice(5)],
  ["as a week date", (date) => `${date.slice(0, 4)}-W10-1`],
  ["as an ordinal date", (date) => `${date.slice(0, 4)}-100`],
  ["day first", (date) => date.split("-").toReversed().join("-")],
  ["left out", () => ""],
  ["behind a blank", (date) => ` ${date}`],
  ["behind a line break", (date) => `\n${date}`],
  ["behind a quotation mark", (date) => `"${date}`],
];

const withDate = ({ date, ...rest }: Parts, change: (date: string) => string): string => written({ date: change(date), ...rest });

describe("createdAt, date", () => {
  test.each(forms)("a createdAt is refused when its date is %s (interface 2.2.1)", (_, change) =>
    holds(parts, (one) => expectRefused(createdAt(withDate(one, change)), "createdAt", "date"), { runs: 16 }),
  );

  test("createdAt: the first and the last day of the years 0001 and 9999 are accepted (interface 2.2.1)", () =>
    holdsForEach(["0001-01-01", "0001-12-31", "9999-01-01", "9999-12-31"], (date) =>
      expectAccepted(createdAt(`${date}T12:00:00Z`), "createdAt"),
    ));

  test("createdAt: the past, the future and times before 1970 are accepted (interface 2.2.1)", () =>
    holdsForEach(
      [
        "1582-10-10",
        "1752-09-10",
        "1899-12-31",
        "1901-12-13",
        "1969-12-31",
        "1970-01-01",
        "2038-01-19",
        "2038-01-20",
        "2106-02-08",
        "2262-04-12",
        "2569-11-20",
      ],
      (date) => expectAccepted(createdAt(`${date}T23:59:59Z`), "createdAt"),
    ));

  test("createdAt: digits of other scripts are refused (interface 2.2.1)", () =>
    holdsForEach([0x0e50, 0x0660, 0x06f0, 0x0966, 0xff10, 0x1d7ce], (zero) =>
      expectRefused(createdAt(`202${String.fromCodePoint(zero + 4)}-01-10T10:10:10Z`), "createdAt", "date"),
    ));
});

// The calendar: months and their days.

const upTo = (last: number): number[] => Array.from({ length: last + 1 }, (_, value) => value);
const months = upTo(12).slice(1);

twoDigitRules(
  "month",
  { first: 1, last: 12, rule: "date", edge: "month", cite: "2.2.1" },
  {
    "of a day that every month has": (month) => `2024-${month}-10T10:10:10Z`,
    "of its first day": (month) => `2024-${month}-01T00:00Z`,
  },
);

/** The last day of each month of a common year, written by hand. */
const lastDays: [month: string, last: number][] = [
  ["01", 31],
  ["02", 28],
  ["03", 31],
  ["04", 30],
  ["05", 31],
  ["06", 30],
  ["07", 31],
  ["08", 31],
  ["09", 30],
  ["10", 31],
  ["11", 30],
  ["12", 31],
];

describe.each(lastDays)("createdAt, month %s", (month, last) => {
  const day = (value: number): string => createdAt(`2023-${month}-${digits(value, 2)}T23:59:59Z`);
  const tooLate = month === "02" ? "29 February" : "date";

  test(`createdAt: month ${month} ends on day ${last}, the next day is refused (interface 2.2.1)`, async () => {
    await expectAccepted(day(last), "createdAt");
    await expectRefused(day(last + 1), "createdAt", tooLate);
    expectEdges([
      `createdAt day ${month}-${last}`,
      month === "02" ? "createdAt 29 February of a common year" : `createdAt day ${month}-${last + 1}`,
    ]);
  });

  test(`createdAt: month ${month} begins on day 01, day 00 is refused (interface 2.2.1)`, async () => {
    await expectAccepted(day(1), "createdAt");
    await expectRefused(day(0), "createdAt", "date");
    expectEdges([`createdAt day ${month}-01`, `createdAt day ${month}-00`]);
  });

  test(`createdAt: month ${month} has no day 32 to 99 (interface 2.2.1)`, () =>
    holdsForEach([32, 33, 39, 40, 50, 61, 99], (value) => expectRefused(day(value), "createdAt", "date")));
});

describe("createdAt, calendar", () => {
  const table = [1, 4, 1900, 1999, 2000, 2023, 2024, 2100, 9999].flatMap((year) =>
    upTo(13).flatMap((month) => [0, 1, 28, 29, 30, 31, 32].map((day) => dayText({ year, month, day }))),
  );

  test("createdAt: every month of nine kinds of year ends on its own day (interface 2.2.1, 2.2.2)", () =>
    holdsForEach(sampled(table), (date) => isAnsweredAsSpecified(`${date}T12:00Z`)));

  test("createdAt: any day of any year is accepted (interface 2.2.1)", () =>
    holds(
      fc
        .record({ year: fc.integer({ min: 1, max: 9999 }), month: fc.constantFrom(...months), of: fc.nat(1000) })
        .map(({ year, month, of }) => dayText({ year, month, day: 1 + (of % daysIn(year, month)) })),
      (date) => expectAccepted(createdAt(`${date}T00:00Z`), "createdAt"),
      { runs: 200 },
    ));
});

/** Every n-th value in a quick run. */
const sampled = (all: readonly string[]): string[] => all.filter((_, index) => index % Math.ceil(all.length / runs(all.length)) === 0);

// February and leap years.

/** Leap years, counted instead of calculated: every fourth year from 0000, without three of four centuries. */
const leapYears = new Set(Array.from({ length: 2500 }, (_, index) => 4 * index));
for (let century = 0; century < 100; century += 1) if (century % 4 !== 0) leapYears.delete(100 * century);

const body = (year: number, day: string): string => createdAt(`${digits(year, 4)}-${day}T00:00Z`);

async function expectAsSpecified(year: number): Promise<void> {
  if (leapYears.has(year)) await expectAccepted(body(year, "02-29"), "createdAt");
  else await expectRefused(body(year, "02-29"), "createdAt", "29 February");
}

/** The seed chooses one in 11 years, so that 11 seeds in a row try all: 11 divides no cycle of the calendar. */
const isChosen = (year: number): boolean => year % 11 === Math.abs(target().seed) % 11;

async function february(year: number): Promise<void> {
  await expectAccepted(body(year, "02-28"), "createdAt");
  await expectAsSpecified(year);
  await expectRefused(body(year, "02-30"), "createdAt", "date");
  await expectAccepted(body(year, "03-01"), "createdAt");
}

const kinds: [kind: string, years: number[]][] = [
  ["a year that 4 divides", [4, 1904, 1996, 2004, 2024, 2096, 9996]],
  ["a century", [100, 200, 300, 1700, 1800, 1900, 2100, 2200, 2300, 9900]],
  ["a year that 400 divides", [400, 1600, 2000, 2400, 9600]],
  ["a common year", [1, 2, 3, 1999, 2022, 2023, 2025, 2026, 9999]],
];

describe("createdAt, February", () => {
  test.each(kinds)(
    "createdAt: February of %s ends on its own day: 28, 29 and 30 February and 1 March (interface 2.2.2)",
    async (kind, years) => {
      await holdsForEach(years, february);
      expectEdges(["createdAt day 02-28", `createdAt 29 February of ${kind}`, "createdAt day 02-30"]);
    },
  );

  test("createdAt: 29 February of every century from 0100 to 9900 is accepted exactly in leap years (interface 2.2.2)", async () => {
    await holdsForEach(
      Array.from({ length: 99 }, (_, index) => 100 * (index + 1)),
      expectAsSpecified,
    );
    expectEdges(["createdAt 29 February of a century", "createdAt 29 February of a year that 400 divides"]);
  });

  test("createdAt: 29 February is accepted exactly in leap years: each year from 0001 to 0099, from 1900 to 2299, and one in 11 others (interface 2.2.2)", () =>
    holdsForAll(
      Array.from({ length: 9_999 }, (_, index) => index + 1).filter(
        (year) => year < 100 || (year >= 1900 && year < 2300) || isChosen(year),
      ),
      expectAsSpecified,
    ));

  test("createdAt: the local date decides about 29 February, not that of UTC (interface 2.2.2)", async () => {
    for (const text of ["2024-02-29T00:00+23:59", "2024-02-29T23:59-23:59", "2024-03-01T00:30+07:00"])
      await expectAccepted(createdAt(text), "createdAt");
    for (const text of ["2023-02-29T00:00+07:00", "2023-02-29T23:59-23:59"])
      await expectRefused(createdAt(text), "createdAt", "29 February");
  });
});
