import fc from "fast-check";

import type { Rule } from "../oracle/broken-rules.ts";
import { lengthsOf, maxAmount } from "../oracle/interface.ts";
import { dates } from "./date-times.ts";
import { textOf } from "./text.ts";

/** One broken rule: the member takes this JSON text, or is left out where it is undefined. */
export type Break = { member: string; rule: Rule; text: string | undefined };

const brokenBy = (member: string, rule: Rule, texts: fc.Arbitrary<string | undefined>): fc.Arbitrary<Break> =>
  texts.map((text) => ({ member, rule, text }));

const quoted = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> => texts.map((text) => JSON.stringify(text));
const longer = (member: string): fc.Arbitrary<string> => {
  const { max } = lengthsOf(member);
  return quoted(fc.integer({ min: max + 1, max: max + 40 }).chain((length) => textOf(length)));
};
const noText = fc.constantFrom("0", "1", "true", "false", "null", "[]", '["a"]', "{}", '{"a":"b"}');
const zones = fc.constantFrom("", "z", "+07", "+0700", "+24:00", "-07:60", "UTC");
const times = fc.constantFrom("24:00", "23:60", "23:59:60", "7:00", "12", "12:00.5", "12:00:00.", "12:00:00,5");

/** Each rule of interface 2, broken in each member that has it. */
export const breaks: Record<string, fc.Arbitrary<Break>> = {
  "donatorName left out": brokenBy("donatorName", "required", fc.constant(undefined)),
  "donatorName of another type": brokenBy("donatorName", "type", noText),
  "donatorName too short": brokenBy("donatorName", "shortest", fc.constant('""')),
  "donatorName too long": brokenBy("donatorName", "longest", longer("donatorName")),
  "amount left out": brokenBy("amount", "required", fc.constant(undefined)),
  "amount of another type": brokenBy("amount", "type", fc.constantFrom('""', '"100"', "true", "null", "[]", "[100]", "{}")),
  "amount of 0 or less": brokenBy("amount", "least", fc.double({ max: 0, noNaN: true, noDefaultInfinity: true }).map(String)),
  [`amount above ${maxAmount}`]: brokenBy(
    "amount",
    "most",
    fc.double({ min: maxAmount, minExcluded: true, noNaN: true, noDefaultInfinity: true }).map(String),
  ),
  "currency of another type": brokenBy("currency", "type", noText),
  "currency not THB": brokenBy("currency", "allowed", quoted(fc.constantFrom("thb", "USD", "", "THB ", "บาท"))),
  "message of another type": brokenBy("message", "type", noText),
  "message too long": brokenBy("message", "longest", longer("message")),
  "identifier of another type": brokenBy("identifier", "type", noText),
  "identifier too long": brokenBy("identifier", "longest", longer("identifier")),
  "idempotencyKey of another type": brokenBy("idempotencyKey", "type", noText),
  "idempotencyKey too short": brokenBy("idempotencyKey", "shortest", fc.constant('""')),
  "idempotencyKey too long": brokenBy("idempotencyKey", "longest", longer("idempotencyKey")),
  "skipAlert of another type": brokenBy("skipAlert", "type", fc.constantFrom('""', '"true"', "0", "1", "null", "[]", "{}")),
  "createdAt of another type": brokenBy("createdAt", "type", fc.constantFrom("0", "1795203000", "true", "null", "[]", "{}")),
  "createdAt no date-time": brokenBy("createdAt", "date-time", quoted(fc.constantFrom("", "now", "2026-11-20", "1795203000"))),
  "createdAt with a date that is none": brokenBy(
    "createdAt",
    "date",
    quoted(
      fc.tuple(fc.constantFrom("2024-13-01", "2024-04-31", "2024-02-30", "2024-00-10", "20240110"), fc.constant("T10:10Z")).map(joined),
    ),
  ),
  "createdAt on 29 February of a common year": brokenBy(
    "createdAt",
    "29 February",
    quoted(fc.constantFrom("1900", "2100", "2023", "0100", "9999").map((year) => `${year}-02-29T10:10Z`)),
  ),
  "createdAt with another separator": brokenBy(
    "createdAt",
    "separator",
    quoted(fc.tuple(dates, fc.constantFrom("t", " ", "", "_"), fc.constant("10:10Z")).map(joined)),
  ),
  "createdAt with a time that is none": brokenBy(
    "createdAt",
    "time",
    quoted(fc.tuple(dates, fc.constant("T"), times, fc.constant("Z")).map(joined)),
  ),
  "createdAt with a zone that is none": brokenBy("createdAt", "zone", quoted(fc.tuple(dates, fc.constant("T10:10:10"), zones).map(joined))),
};

function joined(parts: string[]): string {
  return parts.join("");
}
