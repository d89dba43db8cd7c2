import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { daysIn, parseDateTime } from "../suite/contract/date-time.ts";
import { explanations } from "../suite/contract/date-time-parts.ts";
import { lengthsOf } from "../suite/contract/interface.ts";
import { readJson } from "../suite/contract/json-text.ts";
import { type Evaluation, evaluate, onlyRule } from "../suite/values/broken-rules.ts";
import { runs } from "../suite/values/depth.ts";
import { dateTimes } from "../suite/values/donations.ts";
import { target } from "../suite/values/target.ts";
import { alphabets, textOf } from "../suite/values/text.ts";

// Checks the suite itself: its two readings of interface 2.2 agree, and its JSON reader agrees with JSON.parse.

const agree = (text: string): void => expect([text, explanations(text).length === 0]).toEqual([text, parseDateTime(text) !== null]);
const evaluated = (text: string): Evaluation => evaluate(Buffer.from(text));
const seeded = (full: number) => ({ seed: target().seed, numRuns: runs(full) });

describe("texts", () => {
  test.each(alphabets)("a text of one letter of an alphabet is no blank, which a server may remove: %s", (alphabet) =>
    fc.assert(
      fc.property(textOf(1, alphabet), (text) => text.trim() === text),
      seeded(500),
    ),
  );
});

describe("the oracle", () => {
  test("the oracle reads a date-time as the suite's other reading does", () =>
    fc.assert(
      fc.property(dateTimes, fc.nat(40), fc.constantFrom(..."0129TZz+-:. ๑", ""), fc.nat(1), (text, at, stray, instead) => {
        agree(text);
        agree(text.slice(0, at) + stray + text.slice(at + instead));
      }),
      seeded(2000),
    ));

  test("the oracle knows the same last days of all months as the suite's other calendar", () => {
    for (const year of [0, 1, 4, 100, 400, 1900, 2000, 2023, 2024, 9999])
      for (let month = 1; month <= 12; month += 1)
        for (const day of [28, 29, 30, 31]) {
          const text = `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${day}T00:00Z`;
          expect([text, explanations(text).length === 0]).toEqual([text, day <= daysIn(year, month)]);
        }
  });

  test("the oracle reads JSON exactly where JSON.parse does", () =>
    fc.assert(
      fc.property(fc.json(), fc.nat(60), fc.constantFrom(...'{}[]",:0-+.eEtn\\u \n', ""), fc.nat(1), (text, at, stray, instead) => {
        for (const one of [text, text.slice(0, at) + stray + text.slice(at + instead)])
          expect([one, readJson(Buffer.from(one)).value !== null]).toEqual([one, parses(one)]);
      }),
      seeded(2000),
    ));

  test.each([
    ["nothing broken", '{"donatorName":"a","amount":1}', []],
    ["two members", '{"donatorName":"","amount":0}', ["donatorName", "amount"]],
    ["both ends of a text", '{"donatorName":"","amount":1,"idempotencyKey":""}', ["donatorName", "idempotencyKey"]],
    ["no member", "{}", ["donatorName", "amount"]],
    ["no object", "[]", [""]],
    ["no JSON", "{", [""]],
  ])("the oracle names every broken member: %s", (_, text, broken) =>
    expect(evaluated(text).broken.map(({ member }) => member)).toEqual(broken),
  );

  test.each([
    ["a duplicate member", '{"donatorName":"a","donatorName":"b","amount":1}'],
    ["an unknown member", '{"donatorName":"a","amount":1,"created_at":1}'],
    ["a lone surrogate", '{"donatorName":"\\ud800","amount":1}'],
    ["a byte order mark", '\ufeff{"donatorName":"a","amount":1}'],
    ["a decimal that rounds to the bound", '{"donatorName":"a","amount":1000000.00000000001}'],
    ["a decimal that rounds to 0", '{"donatorName":"a","amount":1e-400}'],
    ["a control character", '{"donatorName":"a\\u0001","amount":1}'],
    ["a noncharacter", '{"donatorName":"a\\ufffe","amount":1}'],
    ["a name of one blank", '{"donatorName":" ","amount":1}'],
    ["a name that is too long only with the blanks behind it", `{"donatorName":"${"a".repeat(lengthsOf("donatorName").max)} ","amount":1}`],
    ["the year 0000", '{"donatorName":"a","amount":1,"createdAt":"0000-06-01T00:00Z"}'],
    ["a time before the year 0001 in UTC", '{"donatorName":"a","amount":1,"createdAt":"0001-01-01T00:00+07:00"}'],
    ["a time after the year 9999 in UTC", '{"donatorName":"a","amount":1,"createdAt":"9999-12-31T23:59-07:00"}'],
    ["deep nesting", `{"donatorName":"a","amount":${"[".repeat(20)}${"]".repeat(20)}}`],
    ["a large body", `{"donatorName":"a","amount":1${" ".repeat(9000)}}`],
  ])("the oracle leaves undecided what the interface leaves to the server: %s", (_, text) =>
    expect(evaluated(text).open.length).toBeGreaterThan(0),
  );

  test.each([
    ["2023-02-29T10:10Z", ["29 February"]],
    ["2024-02-30T10:10Z", ["date"]],
    ["2024-01-10t10:10Z", ["separator"]],
    ["2024-01-10T24:00Z", ["time"]],
    ["2024-01-10T10:10", ["zone"]],
    ["2024-01-10T10:10:10,5Z", ["time", "zone"]], // a time with ",5", or a zone of ",5Z"
    ["2024-01-10", ["date-time"]],
  ])("the oracle names the part of %s that is wrong", (createdAt, among) => {
    const only = onlyRule(evaluated(`{"donatorName":"a","amount":1,"createdAt":"${createdAt}"}`));
    expect(only?.among.toSorted()).toEqual(among);
  });

  test("the oracle counts two broken parts of a date-time as two", () => {
    for (const createdAt of ["2024-13-10t10:10Z", "2024-01-10 10:10", "20240110T101010Z"])
      expect(onlyRule(evaluated(`{"donatorName":"a","amount":1,"createdAt":"${createdAt}"}`))).toBeNull();
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
