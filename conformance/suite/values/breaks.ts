// Bodies that break one rule of the interface.

import fc from "fast-check";
import { lengthsOf, maxAmount } from "../contract/interface.ts";
import type { Rule } from "./broken-rules.ts";
import { dates } from "./date-times.ts";
import { exceeding } from "./lengths.ts";
import { textOf } from "./text.ts";

/** One broken rule: the member gets this JSON text; undefined: it is left out. */
export type Break = { member: string; rule: Rule; text: string | undefined };

const breakOf = (member: string, rule: Rule, texts: fc.Arbitrary<string | undefined>): fc.Arbitrary<Break> =>
  texts.map((text) => ({ member, rule, text }));

const quoted = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> => texts.map((text) => JSON.stringify(text));
const longer = (member: string): fc.Arbitrary<string> => {
  const { max } = lengthsOf(member);
  return quoted(fc.integer({ min: max + 1, max: max + 40 }).chain((length) => textOf(length).map((value) => exceeding(value, max))));
};
const noText = fc.constantFrom("0", "1", "true", "false", "null", "[]", '["a"]', "{}", '{"a":"b"}');
const zones = fc.constantFrom("", "z", "+07", "+0700", "+24:00", "-07:60", "UTC");
const times = fc.constantFrom("24:00", "23:60", "23:59:60", "7:00", "12", "12:00.5", "12:00:00.", "12:00:00,5");

/** Each rule of interface 2, broken in each member that has it. */
export const breaks: Record<string, fc.Arbitrary<Break>> = {
  "donatorName left out": breakOf("donatorName", "required", fc.constant(undefined)),
  "donatorName of another type": breakOf("donatorName", "type", noText),
  "donatorName too short": breakOf("donatorName", "shortest", fc.constant('""')),
  "donatorName too long": breakOf("donatorName", "longest", longer("donatorName")),
  "amount left out": breakOf("amount", "required", fc.constant(undefined)),
  "amount of another type": breakOf("amount", "type", fc.constantFrom('""', '"100"', "true", "null", "[]", "[100]", "{}")),
  "amount of 0 or less": breakOf("amount", "least", fc.double({ max: 0, noNaN: true, noDefaultInfinity: true }).map(String)),
  [`amount above ${maxAmount}`]: breakOf(
    "amount",
    "most",
    fc.double({ min: maxAmount, minExcluded: true, noNaN: true, noDefaultInfinity: true }).map(String),
  ),
  "currency of another type": breakOf("currency", "type", noText),
  "currency not THB": breakOf("currency", "allowed", quoted(fc.constantFrom("thb", "USD", "", "THB ", "บาท"))),
  "message of another type": breakOf("message", "type", noText),
  "message too long": breakOf("message", "longest", longer("message")),
  "identifier of another type": breakOf("identifier", "type", noText),
  "identifier too long": breakOf("identifier", "longest", longer("identifier")),
  "idempotencyKey of another type": breakOf("idempotencyKey", "type", noText),
  "idempotencyKey too short": breakOf("idempotencyKey", "shortest", fc.constant('""')),
  "idempotencyKey too long": breakOf("idempotencyKey", "longest", longer("idempotencyKey")),
  "skipAlert of another type": breakOf("skipAlert", "type", fc.constantFrom('""', '"true"', "0", "1", "null", "[]", "{}")),
  "createdAt of another type": breakOf("createdAt", "type", fc.constantFrom("0", "1795203000", "true", "null", "[]", "{}")),
  "createdAt no date-time": breakOf("createdAt", "date-time", quoted(fc.constantFrom("", "now", "2026-11-20", "1795203000"))),
  "createdAt with a date that is none": breakOf(
    "createdAt",
    "date",
    quoted(
      fc.tuple(fc.constantFrom("2024-13-01", "2024-04-31", "2024-02-30", "2024-00-10", "20240110"), fc.constant("T10:10Z")).map(joined),
    ),
  ),
  "createdAt on 29 February of a common year": breakOf(
    "createdAt",
    "29 February",
    quoted(fc.constantFrom("1900", "2100", "2023", "0100", "9999").map((year) => `${year}-02-29T10:10Z`)),
  ),
  "createdAt with another separator": breakOf(
    "createdAt",
    "separator",
    quoted(fc.tuple(dates, fc.constantFrom("t", " ", "", "_"), fc.constant("10:10Z")).map(joined)),
  ),
  "createdAt with a time that is none": breakOf(
    "createdAt",
    "time",
    quoted(fc.tuple(dates, fc.constant("T"), times, fc.constant("Z")).map(joined)),
  ),
  "createdAt with a zone that is none": breakOf("createdAt", "zone", quoted(fc.tuple(dates, fc.constant("T10:10:10"), zones).map(joined))),
};

function joined(parts: string[]): string {
  return parts.join("");
}
