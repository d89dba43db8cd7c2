import fc from "fast-check";
import { beforeEach, describe, test } from "vitest";

import { expectFaults } from "../../suite/client/api.ts";
import { holds } from "../../suite/client/holds.ts";
import { expectAsSpecified, postAt } from "../../suite/models/created-at.ts";
import { behindYear, dateTimes, type Parts, parts, written } from "../../suite/values/date-times.ts";
import { about } from "../../suite/values/score.ts";

beforeEach(() => about("createdAt"));

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
