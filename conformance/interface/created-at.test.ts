// createdAt as a whole, and its zone (interface 2.2, 2.2.5).

import fc from "fast-check";
import { describe, test } from "vitest";
import { holds, holdsForEach } from "../suite/client/holds.ts";
import { createdAt, expectAccepted, expectRefused, isAnsweredAsSpecified, twoDigitRules } from "../suite/models/verdicts.ts";
import { behindYear, dateTimes, type Parts, parts, written } from "../suite/values/donations.ts";

const noDateTimes = [
  "",
  " ",
  "now",
  "today",
  "null",
  "Z",
  "T",
  "0",
  "1795203000",
  "1795203000000",
  "2026",
  "2026-11",
  "2026-11-20",
  "2026-324",
  "20/11/2026",
  "Fri, 20 Nov 2026 19:30:00 GMT",
  "Fri Nov 20 19:30:00 2026",
  "P1D",
  "0000-00-00",
  "วันนี้",
];

/** Characters that look right, or that lenient parsers skip. */
const strays = fc.constantFrom(..." \t\n\r\u00a0\u2028\ufeff0159TZtz+-:.,/eW๑１\u2212\u200b");

describe("createdAt", () => {
  test("a createdAt that is any date-time of interface 2.2 is accepted", () =>
    holds(dateTimes, (text) => expectAccepted(createdAt(text), "createdAt"), { runs: 400 }));

  test("a createdAt that is no date-time at all is refused (interface 2.1)", () =>
    holdsForEach(noDateTimes, (text) => expectRefused(createdAt(text), "createdAt", "date-time")));

  test("a createdAt with one character inserted anywhere is judged as interface 2.2 says", () =>
    holds(
      fc.tuple(dateTimes, strays, fc.nat(1000)).map(([text, stray, place]) => put(text, behindYear(place % (text.length + 1)), stray, 0)),
      isAnsweredAsSpecified,
      { runs: 400 },
    ));

  test("a createdAt with one character replaced is judged as interface 2.2 says", () =>
    holds(
      fc.tuple(dateTimes, strays, fc.nat(1000)).map(([text, stray, place]) => put(text, behindYear(place % text.length), stray, 1)),
      isAnsweredAsSpecified,
      { runs: 400 },
    ));

  test("a createdAt with one character removed is judged as interface 2.2 says", () =>
    holds(
      fc.tuple(dateTimes, fc.nat(1000)).map(([text, place]) => put(text, behindYear(place % text.length), "", 1)),
      isAnsweredAsSpecified,
      { runs: 200 },
    ));
});

const put = (text: string, at: number, between: string, instead: number): string => text.slice(0, at) + between + text.slice(at + instead);

twoDigitRules(
  "offset hour",
  { first: 0, last: 23, rule: "zone", edge: "offset hour", cite: "2.2.5" },
  {
    "behind +": (hour) => `2024-01-10T10:10:10+${hour}:30`,
    "behind -": (hour) => `2024-01-10T10:10:10-${hour}:30`,
    "without seconds": (hour) => `2024-01-10T10:10+${hour}:00`,
  },
);

twoDigitRules(
  "offset minute",
  { first: 0, last: 59, rule: "zone", edge: "offset minute", cite: "2.2.5" },
  {
    "behind +": (minute) => `2024-01-10T10:10:10+07:${minute}`,
    "behind -": (minute) => `2024-01-10T10:10:10-23:${minute}`,
  },
);

const zones: [what: string, zone: string][] = [
  ["nothing", ""],
  ["a small z", "z"],
  ["a blank before Z", " Z"],
  ["a blank behind Z", "Z "],
  ["a line break behind Z", "Z\n"],
  ["Z twice", "ZZ"],
  ["Z and an offset", "Z+07:00"],
  ["an offset and Z", "+07:00Z"],
  ["two offsets", "+07:00+07:00"],
  ["UTC", "UTC"],
  ["GMT", "GMT"],
  ["UTC and an offset", "UTC+7"],
  ["another military letter", "G"],
  ["ICT", "ICT"],
  ["the name of a zone", "Asia/Bangkok"],
  ["the name of a zone in brackets", "[Asia/Bangkok]"],
  ["an offset and the name of a zone", "+07:00[Asia/Bangkok]"],
  ["a blank before the offset", " +07:00"],
  ["a blank inside the offset", "+07: 00"],
  ["the blank that a plus becomes in a URL", " 07:00"],
  ["an offset without minutes", "+07"],
  ["an offset without a colon", "+0700"],
  ["an offset without a sign", "07:00"],
  ["an offset with two signs", "+-07:00"],
  ["an offset with U+2212 for a minus", "\u221207:00"],
  ["an offset with a plus-minus sign", "\u00b107:00"],
  ["an offset hour of one digit", "+7:00"],
  ["an offset hour of three digits", "+007:00"],
  ["an offset minute of one digit", "+07:0"],
  ["an offset minute of three digits", "+07:000"],
  ["an offset with seconds", "+07:00:00"],
  ["an offset with a fraction", "+07:00.5"],
  ["an offset of 24 hours", "+24:00"],
  ["an offset of 23 hours and 60 minutes", "-23:60"],
  ["an offset in Thai digits", "+๐๗:๐๐"],
];

const withZone = (one: Parts, zone: string): string => written({ ...one, zone });

describe("createdAt, timezone", () => {
  test.each(zones)("a createdAt with %s is refused (interface 2.2.5)", (_, zone) =>
    holds(parts, (one) => expectRefused(createdAt(withZone({ ...one, second: one.second ?? "00" }, zone)), "createdAt", "zone"), {
      runs: 16,
    }),
  );

  test.each(["Z", "+00:00", "-00:00", "+07:00", "-07:00", "+05:45", "-03:30", "+14:00", "-12:00", "+14:01", "-23:59", "+23:59"])(
    "a createdAt with the zone %s is accepted (interface 2.2.5)",
    (zone) => holds(parts, (one) => expectAccepted(createdAt(withZone(one, zone)), "createdAt"), { runs: 16 }),
  );

  test("a createdAt whose offset leads into another year is accepted (interface 2.2.5)", () =>
    holdsForEach(["0002-01-01T00:00+23:59", "2024-01-01T00:30+07:00", "2023-12-31T23:59:59.999-07:00", "9998-12-31T23:59-23:59"], (text) =>
      expectAccepted(createdAt(text), "createdAt"),
    ));
});
