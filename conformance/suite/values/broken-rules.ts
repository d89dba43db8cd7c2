// The oracle: decides which rules of the interface these bytes break as the body of a donation, without any server or contract.

import fc from "fast-check";
import { instantOf, instantText, parseDateTime } from "../contract/date-time.ts";
import { type DateTimeRule, explanations } from "../contract/date-time-parts.ts";
import { lengthsOf, type Member, maxAmount, members } from "../contract/interface.ts";
import { type Json, readJson, textOfString } from "../contract/json-text.ts";
import { dates } from "./donations.ts";
import type { LengthUnit } from "./target.ts";
import { exceeding, fewest, lengthUnit, most, textOf } from "./text.ts";

export const rules = {
  json: "the body is JSON (interface 1)",
  object: "the body is an object (interface 4.1)",
  required: "the member is required (interface 2.1)",
  type: "the member has its type (interface 2.1)",
  shortest: "the text is not too short (interface 2.1)",
  longest: "the text is not too long (interface 2.1)",
  least: "the value is above 0 (interface 2.1)",
  most: `the value is at most ${maxAmount} (interface 2.1)`,
  allowed: "the value is an allowed one (interface 2.1)",
  "date-time": "createdAt is a date-time (interface 2.1)",
  date: "the date is YYYY-MM-DD and in the calendar (interface 2.2.1)",
  "29 February": "29 February is of a leap year (interface 2.2.2)",
  separator: "the separator is T (interface 2.2.3)",
  time: "the time is HH:MM, HH:MM:SS or HH:MM:SS. and a fraction (interface 2.2.4)",
  zone: "the timezone is Z, +HH:MM or -HH:MM (interface 2.2.5)",
} as const;

export type Rule = keyof typeof rules;

/** `alternatives`: each of these sets explains the refusal; more than one where a text can be put right in more than one way. */
type Broken = { member: string; alternatives: Rule[][] };

/** `open`: what the interface leaves to the server, in words; where there is any, nothing can be demanded. */
export type Evaluation = { broken: Broken[]; open: string[] };

const maxCertainBytes = 8192;

/** `fair` leaves open what a server may read otherwise; `letter` takes interface 2 at its word. */
type Reading = "fair" | "letter";

/** `unit`: what a character is; by default as this run says. */
export function evaluate(bytes: Uint8Array, unit = lengthUnit(), reading: Reading = "fair"): Evaluation {
  const { value, open } = readJson(bytes);
  if (bytes.length > maxCertainBytes) open.push("a large body");
  if (value === null) return { broken: [one("", "json")], open };
  if (value.type !== "object") return { broken: [one("", "object")], open };
  const sent = new Map(value.members);
  const unknown = [...sent.keys()].filter((name) => !members.some(({ member }) => member === name));
  const evaluated = members.map((member) => evaluateMember(member, sent.get(member.member), unit));
  const broken = evaluated.flatMap((member) => member.broken);
  return {
    broken,
    open: [
      ...open,
      ...evaluated.flatMap((member) => member.open),
      // A server may refuse an unknown member or pass it over: a donation that breaks a rule is refused in either case.
      ...(broken.length > 0 ? [] : unknown.map((name) => `an unknown member ${name}`)),
      ...(reading === "fair" ? undecidedTexts(sent, unit) : []),
    ],
  };
}

/** The single rule that is broken, in every reading of it; none, or two and more, give null. */
export function onlyRule({ broken }: Evaluation): { member: string; among: Rule[] } | null {
  const [first, ...others] = broken;
  if (!first || others.length > 0 || first.alternatives.some(({ length }) => length !== 1)) return null;
  return { member: first.member, among: first.alternatives.flat() };
}

const one = (member: string, rule: Rule): Broken => ({ member, alternatives: [[rule]] });

function evaluateMember(member: Member, value: Json | undefined, unit: LengthUnit): Evaluation {
  const fault = (rule: Rule): Evaluation => ({ broken: [one(member.member, rule)], open: [] });
  if (value === undefined) return member.required ? fault("required") : { broken: [], open: [] };
  if (value.type !== member.type) return fault("type");
  if (value.type === "number") return evaluateAmount(member, value.text);
  if (value.type === "string") return evaluateText(member, textOfString(value.codePoints), unit);
  return { broken: [], open: [] };
}

function evaluateText({ member, minLength = 0, maxLength, allowed }: Member, text: string, unit: LengthUnit): Evaluation {
  const fault = (rule: Rule): Evaluation => ({ broken: [one(member, rule)], open: [] });
  if (allowed && !allowed.includes(text)) return fault("allowed");
  if (maxLength !== undefined) {
    if (most(text, unit) < minLength) return fault("shortest");
    if (fewest(text, unit) > maxLength) return fault("longest");
    if (fewest(text, unit) < minLength || most(text, unit) > maxLength)
      return { broken: [], open: [`what a character is: ${member} has from ${fewest(text, unit)} to ${most(text, unit)} of them`] };
  }
  const alternatives: DateTimeRule[][] = member === "createdAt" ? explanations(text) : [];
  return { broken: alternatives.length === 0 ? [] : [{ member, alternatives }], open: [] };
}

/** Decided where the exact decimal and the nearest double say the same; between them the interface is silent. */
function evaluateAmount({ member, above = -Infinity, upTo = Infinity }: Member, text: string): Evaluation {
  const double = Number(text);
  const exact = { least: compare(text, above) > 0, most: compare(text, upTo) <= 0 };
  const broken = ([exact.least ? null : "least", exact.most ? null : "most"] as const).flatMap((rule) => (rule ? [one(member, rule)] : []));
  const agreed = exact.least === double > above && exact.most === double <= upTo;
  return { broken, open: agreed ? [] : [`${text} is ${double} as a double`] };
}

/** The sign of the decimal's difference to a whole number that is not negative. */
function compare(text: string, whole: number): number {
  const [, sign = "", units = "", fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const significant = `${units}${fraction}`.replace(/^0+/, "");
  if (significant === "") return Math.sign(0 - whole);
  if (sign === "-") return -1;
  const power = Number(exponent) - fraction.length;
  const places = significant.length + power; // before the point
  if (places > 20) return 1;
  if (places < -20) return whole === 0 ? 1 : -1;
  const value = BigInt(significant) * 10n ** BigInt(Math.max(0, power));
  const bound = BigInt(whole) * 10n ** BigInt(Math.max(0, -power));
  return value < bound ? -1 : value > bound ? 1 : 0;
}

// Texts that keep interface 2 to the letter, and that a sound server may refuse, or change before it counts: interface 7 shows no
// conditions of errors. Profile `interface` tries none of them; rules of profile `contract` do.

/** Says in words what is undecided about the texts of a donation. */
function undecidedTexts(sent: ReadonlyMap<string, Json>, unit: LengthUnit): string[] {
  return members.flatMap(({ member, minLength = 0, maxLength }) => {
    const value = sent.get(member);
    if (value?.type !== "string") return [];
    const text = textOfString(value.codePoints);
    if (member === "createdAt") return isOutsideOfYears(text) ? [`${member} is outside of the years 0001 to 9999`] : [];
    if (maxLength === undefined) return [];
    return [
      ...(notText.test(text) ? [`${member} has control characters or noncharacters`] : []),
      ...(isDecided(text, { minLength, maxLength, unit }) ? [] : [`whether blanks at the ends of ${member} count`]),
    ];
  });
}

/** Control characters, and code points that Unicode reserves for use inside of programs. */
const notText = /[\p{Cc}\p{Noncharacter_Code_Point}]/u;

type Bounds = { minLength: number; maxLength: number; unit: LengthUnit };

/** Whether the length is judged in the same way with and without the blanks at both ends. */
function isDecided(text: string, { minLength, maxLength, unit }: Bounds): boolean {
  const trimmed = text.trim();
  const isTooShort = (one: string): boolean => most(one, unit) < minLength;
  const isTooLong = (one: string): boolean => fewest(one, unit) > maxLength;
  return isTooShort(trimmed) === isTooShort(text) && isTooLong(trimmed) === isTooLong(text);
}

/** ISO 8601 has the year 0000 by agreement only, many calendars have none, and UTC may be in another year than the local date. */
function isOutsideOfYears(text: string): boolean {
  const dateTime = parseDateTime(text);
  if (!dateTime) return false;
  const utc = instantText(instantOf(dateTime));
  return dateTime.year === 0 || utc === null || utc.startsWith("0000");
}

// Bodies that break one rule of the interface.

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
