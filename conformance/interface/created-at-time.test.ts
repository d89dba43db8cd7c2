// The time of createdAt, and the letter before it (interface 2.2.3, 2.2.4).

import fc from "fast-check";
import { describe, test } from "vitest";
import { holds, holdsForEach } from "../suite/client/holds.ts";
import { createdAt, expectAccepted, expectRefused, twoDigitRules } from "../suite/models/verdicts.ts";
import { type Parts, parts, written } from "../suite/values/donations.ts";
import { expectEdges } from "../suite/values/score.ts";

twoDigitRules(
  "hour",
  { first: 0, last: 23, rule: "time", edge: "hour", cite: "2.2.4" },
  {
    "with seconds": (hour) => `2024-01-10T${hour}:10:10Z`,
    "without seconds": (hour) => `2024-01-10T${hour}:00Z`,
    "on the hour": (hour) => `2024-01-10T${hour}:00:00+07:00`,
  },
);

twoDigitRules(
  "minute",
  { first: 0, last: 59, rule: "time", edge: "minute", cite: "2.2.4" },
  {
    "with seconds": (minute) => `2024-01-10T10:${minute}:10Z`,
    "without seconds": (minute) => `2024-01-10T23:${minute}-07:00`,
  },
);

const times: [what: string, (one: Parts) => string][] = [
  ["an hour of one digit", ({ minute }) => `7:${minute}`],
  ["an hour of three digits", ({ hour, minute }) => `0${hour}:${minute}`],
  ["a minute of one digit", ({ hour }) => `${hour}:5`],
  ["a minute of three digits", ({ hour, minute }) => `${hour}:0${minute}`],
  ["no colon", ({ hour, minute }) => `${hour}${minute}`],
  ["a dot for the colon", ({ hour, minute }) => `${hour}.${minute}`],
  ["a hyphen for the colon", ({ hour, minute }) => `${hour}-${minute}`],
  ["a fullwidth colon", ({ hour, minute }) => `${hour}\uff1a${minute}`],
  ["no minute", ({ hour }) => hour],
  ["no minute, but its colon", ({ hour }) => `${hour}:`],
  ["no hour", ({ minute }) => `:${minute}`],
  ["no time", () => ""],
  ["a signed hour", ({ hour, minute }) => `+${hour}:${minute}`],
  ["a blank before it", ({ hour, minute }) => `  ${hour}:${minute}`],
  ["a blank behind it", ({ hour, minute }) => `${hour}:${minute} `],
  ["an hour of twelve and pm", ({ minute }) => `11:${minute}pm`],
  ["midnight at the day's end", () => "24:00"],
  ["midnight at the day's end, with seconds", () => "24:00:00"],
  ["Thai digits", ({ minute }) => `๑๒:${minute}`],
];

const withTime = ({ date, zone }: Parts, time: string): string => `${date}T${time}${zone}`;

describe("createdAt, time", () => {
  test.each(times)("a createdAt whose time has %s is refused (interface 2.2.4)", (_, change) =>
    holds(parts, (one) => expectRefused(createdAt(withTime(one, change(one))), "createdAt", "time"), { runs: 16 }),
  );

  test("a createdAt without seconds is accepted (interface 2.2.4)", () =>
    holds(parts, (one) => expectAccepted(createdAt(written({ ...one, second: null, fraction: null })), "createdAt"), { runs: 60 }));

  test("a createdAt in an hour that a clock change leaves out or repeats is accepted (interface 2.2.4)", () =>
    holdsForEach(["2024-03-10T02:30-05:00", "2024-03-31T02:30+01:00", "2024-11-03T01:30-04:00", "2024-11-03T01:30-05:00"], (text) =>
      expectAccepted(createdAt(text), "createdAt"),
    ));
});

// Seconds.

twoDigitRules(
  "second",
  { first: 0, last: 59, rule: "time", edge: "second", cite: "2.2.4" },
  {
    "before Z": (second) => `2024-01-10T10:10:${second}Z`,
    "before a fraction": (second) => `2024-01-10T23:59:${second}.5Z`,
    "before an offset": (second) => `2024-01-10T23:59:${second}+07:00`,
  },
);

const seconds: [what: string, second: string][] = [
  ["of one digit", ":5"],
  ["of three digits", ":005"],
  ["of no digits", ":"],
  ["behind a dot", ".05"],
  ["behind a blank", ": 05"],
  ["signed", ":+5"],
  ["twice", ":05:05"],
  ["in Thai digits", ":๐๕"],
];

const withSecond = ({ date, hour, minute, zone }: Parts, second: string): string => `${date}T${hour}:${minute}${second}${zone}`;

describe("createdAt, seconds", () => {
  test.each(seconds)("a createdAt with seconds %s is refused (interface 2.2.4)", (_, second) =>
    holds(parts, (one) => expectRefused(createdAt(withSecond(one, second)), "createdAt", "time"), { runs: 16 }),
  );

  test("a createdAt with a leap second is refused, even one that happened (interface 2.2.4)", () =>
    holdsForEach(["2016-12-31T23:59:60Z", "2017-01-01T06:59:60+07:00", "1972-06-30T23:59:60Z", "2016-12-31T23:59:60.999Z"], (text) =>
      expectRefused(createdAt(text), "createdAt", "time"),
    ));
});

// Fractions of a second.

const withFraction = ({ date, hour, minute, second, zone }: Parts, fraction: string): string =>
  `${date}T${hour}:${minute}:${second ?? "59"}${fraction}${zone}`;

const digits = (length: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: length, maxLength: length });

const fractions: [what: string, fraction: string][] = [
  ["a comma for the dot", ",5"],
  ["a dot without digits", "."],
  ["two dots", "..5"],
  ["two fractions", ".5.5"],
  ["a blank before the digits", ". 5"],
  ["a sign before the digits", ".-5"],
  ["an exponent", ".5e1"],
  ["letters", ".abc"],
  ["an underscore between digits", ".123_456"],
  ["Thai digits", ".๕"],
  ["a fullwidth dot", "\uff0e5"],
];

describe("createdAt, fraction", () => {
  test("a createdAt with a fraction of 1, 2, 3, 6, 7, 9 and 10 digits is accepted (interface 2.2.4)", async () => {
    const lengths = [1, 2, 3, 4, 6, 7, 9, 10];
    await holdsForEach(lengths, (length) => expectAccepted(createdAt(`2024-01-10T10:10:59.${"9".repeat(length)}Z`), "createdAt"));
    expectEdges(lengths.map((length) => `createdAt fraction digits ${length}`));
  });

  test("a createdAt with a fraction of any number of digits is accepted (interface 2.2.4)", async () => {
    await holdsForEach([11, 12, 15, 16, 17, 18, 19, 20, 21, 25, 30, 40, 64, 100, 255, 256, 1000], (length) =>
      expectAccepted(createdAt(`2024-01-10T10:10:59.${"9".repeat(length)}Z`), "createdAt"),
    );
    await holds(
      fc.tuple(parts, fc.integer({ min: 1, max: 40 }).chain(digits)),
      ([one, fraction]) => expectAccepted(createdAt(withFraction(one, `.${fraction}`)), "createdAt"),
      { runs: 120 },
    );
  });

  test("a createdAt with a fraction of zeros is accepted (interface 2.2.4)", () =>
    holdsForEach([1, 3, 6, 9, 30], (length) => expectAccepted(createdAt(`2024-01-10T10:10:00.${"0".repeat(length)}Z`), "createdAt")));

  test("a createdAt with a fraction that would round up into the next year is accepted (interface 2.2.4)", () =>
    holdsForEach(["2024-12-31T23:59:59.9999999Z", "9999-12-31T23:59:59.999999999Z", "2024-02-29T23:59:59.9996Z"], (text) =>
      expectAccepted(createdAt(text), "createdAt"),
    ));

  test("a createdAt with a fraction is refused without seconds, accepted with them (interface 2.2.4)", () =>
    holds(
      fc.tuple(parts, fc.integer({ min: 1, max: 9 }).chain(digits)),
      async ([one, fraction]) => {
        const { date, hour, minute, zone } = one;
        await expectRefused(createdAt(`${date}T${hour}:${minute}.${fraction}${zone}`), "createdAt", "time");
        await expectAccepted(createdAt(withFraction(one, `.${fraction}`)), "createdAt");
      },
      { runs: 40 },
    ));

  test.each(fractions)("a createdAt whose fraction is written with %s is refused (interface 2.2.4)", (_, fraction) =>
    holds(parts, (one) => expectRefused(createdAt(withFraction(one, fraction)), "createdAt", "time"), { runs: 16 }),
  );
});

// The letter between date and time.

const separators: [what: string, separator: string][] = [
  ["a small t", "t"],
  ["a blank", " "],
  ["two blanks", "  "],
  ["nothing", ""],
  ["an underscore", "_"],
  ["a tab", "\t"],
  ["a line break", "\n"],
  ["a hyphen", "-"],
  ["a colon", ":"],
  ["a plus, the blank of a URL", "+"],
  ["a comma and a blank", ", "],
  ["two of it", "TT"],
  ["T behind a blank", " T"],
  ["T before a blank", "T "],
  ["a Greek tau", "\u03a4"],
  ["a Cyrillic te", "\u0422"],
  ["a fullwidth T", "\uff34"],
  ["T with a combining mark", "T\u0301"],
  ["the word at", "at"],
];

const separated = (one: Parts, separator: string): string => written(one).replace("T", separator);

describe("createdAt, separator", () => {
  test.each(separators)("a createdAt with %s in the place of the letter T is refused (interface 2.2.3)", (_, separator) =>
    holds(parts, (one) => expectRefused(createdAt(separated(one, separator)), "createdAt", "separator"), { runs: 16 }),
  );
});
