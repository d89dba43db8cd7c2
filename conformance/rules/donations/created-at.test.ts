import { beforeEach, expect, test } from "vitest";

import dateCases from "../../cases/dates.json" with { type: "json" };
import { create, expectFaults, recorded } from "../../suite/client/api.ts";
import { expectNow } from "../../suite/client/expect-within.ts";
import { holds, holdsForAll, holdsForEach } from "../../suite/client/holds.ts";
import { daysIn, dayText, digits, isLeap } from "../../suite/contract/calendar.ts";
import { offline } from "../../suite/contract/offline-rules.ts";
import { expectAsSpecified, postAt } from "../../suite/models/created-at.ts";
import { dateTimes, parts, written } from "../../suite/values/date-times.ts";
import { donation } from "../../suite/values/donations.ts";
import { about } from "../../suite/values/score.ts";

beforeEach(() => about("createdAt"));

/** Tries values on both sides of a rule, each once. */
const allAsSpecified = (createdAts: string[]): Promise<void> => holdsForAll(createdAts, expectAsSpecified);
const upTo = (max: number): number[] => Array.from({ length: max + 1 }, (_, value) => value);
/** Every year of the first four centuries and of this one's, and a few of every other; `interface/` tries them all. */
const manyYears = upTo(9999).filter((year) => year < 400 || (year >= 1900 && year <= 2100) || year % 100 <= 4 || year === 9999);
const two = upTo(99).map((value) => digits(value, 2));

test("createdAt: 29 February passes exactly in leap years, and comes back as the same instant (interface 2.2.2)", () =>
  holdsForAll(manyYears, async (year) => {
    const reply = await postAt(`${digits(year, 4)}-02-29T00:00Z`);
    if (isLeap(year)) expect(recorded(reply).createdAt).toBe(`${digits(year, 4)}-02-29T00:00:00.000Z`);
    else expectFaults(reply, "/createdAt invalid_format");
  }));

test.each([0, 4, 1900, 1999, 2000, 2023, 2024, 2100, 9999])(
  "createdAt: every month of %i ends on its own last day (interface 2.2.1)",
  (year) => allAsSpecified(upTo(13).flatMap((month) => [0, 1, 28, 29, 30, 31, 32].map((day) => `${dayText({ year, month, day })}T12:00Z`))),
);

test("createdAt: centuries are leap years only when 400 divides them (interface 2.2.2)", () =>
  allAsSpecified(
    upTo(99).flatMap((century) => [
      `${digits(century, 2)}00-02-28T23:59:59.999Z`,
      `${digits(century, 2)}00-02-29T00:00Z`,
      `${digits(century, 2)}00-03-01T00:00Z`,
    ]),
  ));

test.each([
  ["month 01 to 12 (interface 2.2.1)", (n: string) => `2024-${n}-10T10:10:10Z`],
  ["day 01 to 31 (interface 2.2.1)", (n: string) => `2024-01-${n}T10:10:10Z`],
  ["hour 00 to 23 (interface 2.2.4)", (n: string) => `2024-01-10T${n}:10:10Z`],
  ["hour 00 to 23 without seconds (interface 2.2.4)", (n: string) => `2024-01-10T${n}:00Z`],
  ["minute 00 to 59 (interface 2.2.4)", (n: string) => `2024-01-10T10:${n}:10Z`],
  ["second 00 to 59, no leap second (interface 2.2.4)", (n: string) => `2024-01-10T10:10:${n}Z`],
  ["second 00 to 59 before a fraction (interface 2.2.4)", (n: string) => `2024-01-10T23:59:${n}.5Z`],
  ["offset hour +00 to +23 (interface 2.2.5)", (n: string) => `2024-01-10T10:10:10+${n}:30`],
  ["offset hour -00 to -23 (interface 2.2.5)", (n: string) => `2024-01-10T10:10:10-${n}:30`],
  ["offset minute 00 to 59 (interface 2.2.5)", (n: string) => `2024-01-10T10:10:10+07:${n}`],
])("createdAt, %s: each value from 00 to 99 falls on its own side", (_, at) => allAsSpecified(two.map(at)));

/** Both ends of the days around the ends of February and of the year, moved to the day before and to the day after by an offset. */
const nearMidnight = [0, 4, 400, 1600, 1900, 1970, 2000, 2023, 2024, 2100, 2400, 9999].flatMap((year) =>
  ["02-28", "02-29", "03-01", "12-31", "01-01"].flatMap((day) =>
    [
      "00:00+00:01",
      "00:00:00.001+07:00",
      "00:01+23:59",
      "00:30+00:30",
      "23:59-00:01",
      "23:59:59.999-07:00",
      "23:58-23:59",
      "23:30-00:30",
    ].map((time) => `${digits(year, 4)}-${day}T${time}`),
  ),
);

test("createdAt: a day that its offset moves across midnight comes back as the same instant, at every end of February and of a year (interface 2.2.2, 2.2.5)", () =>
  holdsForEach(nearMidnight, expectAsSpecified));

test("createdAt: a fraction of any number of digits is accepted after seconds and truncated to milliseconds (interface 2.2.4)", () =>
  allAsSpecified([...upTo(40), 100, 1000, 10_000, 60_000].map((length) => `2024-01-10T10:10:59.${"9".repeat(length)}Z`)));

test("createdAt: a fraction is refused without seconds (interface 2.2.4)", () =>
  holds(parts, (one) => expectAsSpecified(written({ ...one, second: null, fraction: "5" }))));

test("createdAt: every date-time of interface 2.2 is accepted and comes back as the same instant", () =>
  holds(dateTimes, expectAsSpecified, { runs: 400 }));

test.each(dateCases)("createdAt $data: $description", async ({ data, valid, expected }) => {
  const reply = await postAt(data);
  if (valid) expect(recorded(reply).createdAt).toBe(expected);
  else expectFaults(reply, "/createdAt invalid_format");
});

test("receivedAt is the present time in UTC, to the millisecond, and createdAt equals it when it was left out", async () => {
  const fractions = new Set<string>();
  for (let sent = 0; sent < 20; sent += 1) {
    const reply = await create(donation());
    const { createdAt, receivedAt } = recorded(reply);
    expectNow(receivedAt, reply);
    expect(createdAt).toBe(receivedAt);
    fractions.add(receivedAt.slice(-5));
  }
  expect([...fractions], "whole seconds").not.toEqual([".000Z"]);
});

test("the suite's own calendar has 146,097 days in every 400 years", offline, () => {
  const days = (year: number): number => upTo(12).reduce((sum, month) => sum + daysIn(year, month), 0);
  expect(upTo(9999).reduce((sum, year) => sum + days(year), 0)).toBe(25 * 146_097);
});
