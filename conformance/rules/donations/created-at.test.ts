import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import dateCases from "../../cases/dates.json" with { type: "json" };
import { create, expectFaults, expectNow, recorded } from "../../suite/client/api.ts";
import { holds, holdsForAll, holdsForEach } from "../../suite/client/holds.ts";
import { daysIn, dayText, digits, isLeap } from "../../suite/contract/date-time.ts";
import { offline } from "../../suite/contract/offline-rules.ts";
import { expectAsSpecified, postAt } from "../../suite/models/verdicts.ts";
import { behindYear, dateTimes, donation, type Parts, parts, written } from "../../suite/values/donations.ts";
import { about } from "../../suite/values/score.ts";
import { onOneLine } from "../../suite/values/text.ts";

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

/** Seconds with three further digits, of which a server that multiplies them by 1,000 as floating-point numbers loses a millisecond. */
const lostByFloats = upTo(59_999)
  .map((ms) => `${digits(Math.floor(ms / 1000), 2)}.${digits(ms % 1000, 3)}`)
  .filter((text) => Math.floor(Number(text) * 1000) !== Number(text.replace(".", "")));

test("createdAt: every millisecond comes back, also those that floating-point seconds lose (interface 2.2.4)", () =>
  holdsForAll(lostByFloats, (seconds) => expectAsSpecified(`2024-01-10T10:10:${seconds}Z`)));

test("createdAt: a fraction is refused without seconds (interface 2.2.4)", () =>
  holds(parts, (one) => expectAsSpecified(written({ ...one, second: null, fraction: "5" }))));

test("createdAt: every date-time of interface 2.2 is accepted and comes back as the same instant", () =>
  holds(dateTimes, expectAsSpecified, { runs: 400 }));

test.each(dateCases.map((one) => ({ ...one, shown: onOneLine(one.data) })))(
  "createdAt $shown: $description",
  async ({ data, valid, expected }) => {
    const reply = await postAt(data);
    if (valid) expect(recorded(reply).createdAt).toBe(expected);
    else expectFaults(reply, "/createdAt invalid_format");
  },
);

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

describe("one broken part is refused", () => {
  const breaks: [rule: string, (one: Parts) => Partial<Parts> | string][] = [
    ["the date has hyphens (interface 2.2.1)", ({ date }) => ({ date: date.replaceAll("-", "") })],
    ["the date has hyphens, not slashes (interface 2.2.1)", ({ date }) => ({ date: date.replaceAll("-", "/") })],
    ["the year has four digits, not two (interface 2.2.1)", ({ date }) => ({ date: date.slice(2) })],
    ["the year has four digits, not five (interface 2.2.1)", ({ date }) => ({ date: `0${date}` })],
    ["the year has no sign + (interface 2.2.1)", ({ date }) => ({ date: `+00${date}` })],
    ["the year has no sign - (interface 2.2.1)", ({ date }) => ({ date: `-${date}` })],
    ["the month has two digits (interface 2.2.1)", ({ date }) => ({ date: `${date.slice(0, 5)}1${date.slice(7)}` })],
    ["the day has two digits (interface 2.2.1)", ({ date }) => ({ date: `${date.slice(0, 8)}1` })],
    ["the date is not left out (interface 2.2.1)", () => ({ date: "" })],
    ["the day is not left out (interface 2.2.1)", ({ date }) => ({ date: date.slice(0, 7) })],
    ["no week dates (interface 2.2.1)", ({ date }) => ({ date: `${date.slice(0, 4)}-W10-1` })],
    ["no ordinal dates (interface 2.2.1)", ({ date }) => ({ date: `${date.slice(0, 4)}-100` })],
    ["the separator is T, not t (interface 2.2.3)", (one) => written(one).replace("T", "t")],
    ["the separator is T, not a space (interface 2.2.3)", (one) => written(one).replace("T", " ")],
    ["the separator is T, not _ (interface 2.2.3)", (one) => written(one).replace("T", "_")],
    ["the separator is not left out (interface 2.2.3)", (one) => written(one).replace("T", "")],
    ["the time is not left out (interface 2.2.4)", ({ date }) => date],
    ["the time is not left out before a zone (interface 2.2.4)", ({ date, zone }) => date + zone],
    ["minutes are not left out (interface 2.2.4)", ({ date, hour, zone }) => `${date}T${hour}${zone}`],
    ["the time has colons (interface 2.2.4)", ({ date, hour, minute, zone }) => `${date}T${hour}${minute}${zone}`],
    ["the hour has two digits (interface 2.2.4)", () => ({ hour: "7" })],
    ["no hour 24 (interface 2.2.4)", () => ({ hour: "24", minute: "00", second: "00", fraction: null })],
    ["the minute has two digits (interface 2.2.4)", () => ({ minute: "5" })],
    ["the second has two digits (interface 2.2.4)", () => ({ second: "5" })],
    ["no second 60 (interface 2.2.4)", () => ({ hour: "23", minute: "59", second: "60", fraction: null, zone: "Z" })],
    ["a colon needs seconds (interface 2.2.4)", () => ({ second: "", fraction: null })],
    ["a dot needs digits (interface 2.2.4)", () => ({ second: "00", fraction: "" })],
    ["a fraction has a dot, not a comma (interface 2.2.4)", () => ({ second: "00,5", fraction: null })],
    ["a fraction has digits alone (interface 2.2.4)", () => ({ second: "00", fraction: "5e1" })],
    ["a designator is mandatory (interface 2.2.5)", () => ({ zone: "" })],
    ["Z, not z (interface 2.2.5)", () => ({ zone: "z" })],
    ["no zone names (interface 2.2.5)", () => ({ zone: "UTC" })],
    ["no bracketed zone after the offset (interface 2.2.5)", () => ({ zone: "+07:00[Asia/Bangkok]" })],
    ["Z alone, no offset after it (interface 2.2.5)", () => ({ zone: "Z+07:00" })],
    ["the offset has minutes (interface 2.2.5)", () => ({ zone: "+07" })],
    ["the offset has a colon (interface 2.2.5)", () => ({ zone: "+0700" })],
    ["the offset's hour has two digits (interface 2.2.5)", () => ({ zone: "+7:00" })],
    ["the offset has a sign (interface 2.2.5)", () => ({ zone: "07:00" })],
    ["the offset has an ASCII sign, not U+2212 (interface 2.2.5)", () => ({ zone: "\u221207:00" })],
    ["the offset has no seconds (interface 2.2.5)", () => ({ zone: "+07:00:00" })],
    ["the offset is below 24 hours (interface 2.2.5)", () => ({ zone: "+24:00" })],
  ];

  test.each(breaks)("a createdAt with one broken part is refused: %s", (_, change) =>
    holds(
      parts,
      async (one) => {
        const changed = change(one);
        const createdAt = typeof changed === "string" ? changed : written({ ...one, ...changed });
        expectFaults(await postAt(createdAt), "/createdAt invalid_format");
      },
      { runs: 12 },
    ),
  );
});

const strays = fc.constantFrom(..." \t\n\r\u0000\u00a0\u2028\ufeff0159TZtz+-:.,/eW๑١１０\u2212\u200b");

test("a createdAt with a stray character before, inside or after is judged as interface 2.2 says", () =>
  holds(
    fc.tuple(dateTimes, strays, fc.nat(60).map(behindYear)),
    ([text, stray, at]) => expectAsSpecified(text.slice(0, at) + stray + text.slice(at)),
    {
      runs: 300,
    },
  ));

test("a createdAt with a character put in the place of another is judged as interface 2.2 says", () =>
  holds(
    fc.tuple(dateTimes, strays, fc.nat(24).map(behindYear)),
    ([text, stray, at]) => expectAsSpecified(text.slice(0, at) + stray + text.slice(at + 1)),
    {
      runs: 300,
    },
  ));

test("a createdAt with a missing character is judged as interface 2.2 says", () =>
  holds(fc.tuple(dateTimes, fc.nat(24).map(behindYear)), ([text, at]) => expectAsSpecified(text.slice(0, at) + text.slice(at + 1)), {
    runs: 200,
  }));

test("a createdAt with digits of other scripts is refused (interface 2.2.1)", () =>
  holds(fc.tuple(dateTimes, fc.constantFrom(0x0e50, 0x0660, 0x06f0, 0x0966, 0xff10, 0x1d7ce)), async ([text, zero]) => {
    const createdAt = text.replace(/[0-9]/, (digit) => String.fromCodePoint(zero + Number(digit)));
    expectFaults(await postAt(createdAt), "/createdAt invalid_format");
  }));
