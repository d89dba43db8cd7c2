import { describe, test } from "vitest";
import { holdsForAll, holdsForEach } from "../suite/client/holds.ts";
import { digits } from "../suite/contract/date-time.ts";
import { createdAt, expectAccepted, expectRefused } from "../suite/models/verdicts.ts";
import { expectEdges } from "../suite/values/score.ts";
import { target } from "../suite/values/target.ts";

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
