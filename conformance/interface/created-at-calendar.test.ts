import fc from "fast-check";
import { describe, test } from "vitest";
import { holds, holdsForEach } from "../suite/client/holds.ts";
import { daysIn, dayText, digits } from "../suite/contract/date-time.ts";
import { createdAt, expectAccepted, expectRefused, isAnsweredAsSpecified, twoDigitRules } from "../suite/models/verdicts.ts";
import { runs } from "../suite/values/depth.ts";
import { expectEdges } from "../suite/values/score.ts";

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
    holdsForEach(sampled(table), (date) => isAnsweredAsSpecified(createdAt(`${date}T12:00Z`), "createdAt")));

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
