// The values to try for a schema: just right, just wrong, and of other kinds.

import { type Keyword, matcher, type Shape, typeOf, validate } from "../../contract/shape.ts";
import { nextDown, nextUp, tiniest } from "../../values/donations.ts";
import { emptyEdge, mayBeEmpty } from "./edges.ts";
import { edits, samplesOf, spread, type Text, textsOfLength, textsOfPattern } from "./samples.ts";

/** A value to try. Whether it is right is decided by request.ts, over the whole request. */
export type Probe = {
  keyword: Keyword;
  /** The rule with its bound, and the side of it; of two neighbours each has its own. */
  edge: string;
  name: string;
  /** As JSON text; null: the member is left out. */
  json: string | null;
};

type Side = "last accepted" | "first refused";

type ProbeMaker = { keywords: Keyword[]; of: (shape: Shape, seed: number) => Probe[] };

const makers: ProbeMaker[] = [
  { keywords: ["minLength", "maxLength"], of: lengthProbes },
  { keywords: ["pattern"], of: patternProbes },
  { keywords: ["format"], of: formatProbes },
  { keywords: ["enum"], of: choiceProbes },
  { keywords: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], of: boundProbes },
  { keywords: ["minItems", "maxItems", "uniqueItems"], of: listProbes },
  { keywords: ["additionalProperties"], of: unknownMemberProbes },
];

/** What can be wrong, and just right, about one value; what belongs to its members and items is theirs. */
export function probesOf(shape: Shape, keywords: readonly Keyword[], seed: number): Probe[] {
  const alternatives = shape.union.length > 0 ? shape.union : [shape];
  const wanted = makers.filter((maker) => maker.keywords.some((keyword) => keywords.includes(keyword)));
  const probes = alternatives.flatMap((one) => wanted.flatMap(({ of }) => of(one, seed)));
  return [...(keywords.includes("type") ? typeProbes(shape, seed) : []), ...probes].filter(({ keyword }) => keywords.includes(keyword));
}

const probe = (keyword: Keyword, edge: string, name: string, value: unknown): Probe => ({
  keyword,
  edge,
  name,
  json: typeof value === "object" && value !== null && "raw" in value ? String(value.raw) : JSON.stringify(value),
});

/** A number in another of the ways that JSON has to write it. */
const raw = (text: string): { raw: string } => ({ raw: text });

/** Every other JSON type, null among them: nothing is coerced. */
function typeProbes(shape: Shape, seed: number): Probe[] {
  const samples = samplesOf(shape, seed).map(({ value }) => value);
  const right = [...new Map(samples.map((value) => [typeOf(value), value])).values()];
  const strangers = [null, true, false, 0, 1, 100, 0.5, -1, "", "100", "true", "null", "THB", [], {}];
  const wrapped = right.flatMap((value) => [[value], { value }, String(value)]);
  const wrong = [...strangers, ...wrapped].filter((value) =>
    validate(shape, value).some(({ at, keyword }) => at === "" && keyword === "type"),
  );
  return [
    ...right.map((value) => probe("type", `${typeOf(value)}: accepted`, typeOf(value), value)),
    ...wrong.map((value) => probe("type", `${typeOf(value)}: refused`, `${typeOf(value)} ${JSON.stringify(value)}`, value)),
  ];
}

function lengthProbes(shape: Shape, seed: number): Probe[] {
  const { minLength, maxLength } = shape;
  const models = [...shape.examples.filter((one) => typeof one === "string"), ...textsOfPattern(shape, seed).slice(0, 4)];
  const at = (keyword: Keyword, bound: number, lengths: [Side, number][]): Probe[] =>
    lengths.flatMap(([side, length]) =>
      textsOfLength(length, models, seed).flatMap(({ name, text }) => [
        probe(keyword, `${keyword} ${bound}: ${side}`, `${length} code points, ${name}`, text),
        ...(name === "emoji beyond the BMP" ? [probe(keyword, `${keyword} ${bound}, beyond the BMP: ${side}`, name, text)] : []),
      ]),
    );
  return [
    ...(minLength
      ? at("minLength", minLength, [
          ["last accepted", minLength],
          ["first refused", minLength - 1],
        ])
      : []),
    ...(mayBeEmpty(shape) ? [probe("minLength", emptyEdge, "nothing", "")] : []),
    ...(maxLength === undefined
      ? []
      : at("maxLength", maxLength, [
          ["last accepted", maxLength],
          ["first refused", maxLength + 1],
        ])),
    ...(maxLength === undefined ? [] : at("maxLength", maxLength, [["first refused", maxLength * 2 + 2]])),
  ];
}

function patternProbes(shape: Shape, seed: number): Probe[] {
  if (shape.patterns.length === 0) return [];
  const given = [...new Set([...shape.examples.filter((one) => typeof one === "string"), ...textsOfPattern(shape, seed)])];
  const broken = given.slice(0, 3).flatMap((text) => spread(edits(text), maxEdits, seed));
  const side = (text: string): string => (shape.patterns.every((pattern) => matcher(pattern).test(text)) ? "accepted" : "refused");
  const near = given.some((text) => /^\d{4}-\d\d-\d\d/.test(text)) ? nearDates : [];
  return [
    ...given.map((text): Text => ({ name: "of the form", text })),
    ...broken,
    ...near.map((text) => ({ name: "nearly a date", text })),
  ].map(({ name, text }) => probe("pattern", `pattern: ${side(text)}`, name, text));
}

const maxEdits = 30;

/** What libraries take for a day or a date-time, and interface 2.2 does not. */
const nearDates = [
  ...["2023-02-29", "2024-04-31", "2023-02-29T10:00Z", "2024-05-10t10:00Z", "2024-05-10T10:00z", "2024-05-10T24:00Z"],
  ...["2016-12-31T23:59:60Z", "2024-05-10T10:00", "2024-05-10T10:00.5Z", "2024-05-10T10:00+24:00"],
];

/** `format` says what a text is for; what it may be, other keywords say. */
function formatProbes({ format, patterns, types, enum: choices, minLength = 0, maxLength = 30 }: Shape): Probe[] {
  if (!format || patterns.length > 0 || choices || !types.includes("string")) return [];
  const text = `not a ${format}`.padEnd(minLength, ".").slice(0, maxLength);
  return [probe("format", "format is an annotation: accepted", `any text for format ${format}`, text)];
}

function choiceProbes({ enum: choices }: Shape): Probe[] {
  if (!choices) return [];
  return [
    ...choices.map((choice) => probe("enum", `enum ${JSON.stringify(choice)}: accepted`, "one of the choices", choice)),
    ...choices.flatMap(misspelt).map(({ name, text }) => probe("enum", "enum: refused", name, text)),
  ];
}

function misspelt(choice: unknown): { name: string; text: unknown }[] {
  if (typeof choice !== "string") return [{ name: "none of the choices", text: typeof choice === "number" ? choice + 0.5 : choice }];
  const others = ["", "unknown", "USD", "null"].map((text) => ({ name: "none of the choices", text }));
  return [...edits(choice).slice(0, 9), { name: "one of the choices in part", text: choice.slice(0, -1) }, ...others];
}

function boundProbes(shape: Shape): Probe[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = shape;
  const whole = !shape.types.includes("number");
  const up = (value: number): number => (whole ? value + 1 : neighbourOf(value, 1));
  const down = (value: number): number => (whole ? value - 1 : neighbourOf(value, -1));
  return [
    ...neighbours("minimum", minimum, (bound) => [bound, down(bound)], [-1]),
    ...neighbours("maximum", maximum, (bound) => [bound, up(bound)], [1]),
    ...neighbours("exclusiveMinimum", exclusiveMinimum, (bound) => [up(bound), bound], [-1]),
    ...neighbours("exclusiveMaximum", exclusiveMaximum, (bound) => [down(bound), bound], [1]),
  ];
}

type Pair = (bound: number) => [accepted: number, refused: number];

/** The two neighbours, each in several spellings, and values farther on the wrong side. */
function neighbours(keyword: Keyword, bound: number | undefined, pair: Pair, [away = 1]: [number]): Probe[] {
  if (bound === undefined) return [];
  const [accepted, refused] = pair(bound);
  const label = `${keyword} ${bound}`;
  const farther = [bound + away, bound + away * 1000, away * 1e300, away * Number.MAX_VALUE, away * 2 ** 53, away * 2 ** 31];
  return [
    probe(keyword, `${label}: last accepted`, "the last accepted", accepted),
    ...spellings(accepted).map((text) => probe(keyword, `${label}: accepted`, `the last accepted written ${text}`, raw(text))),
    probe(keyword, `${label}: first refused`, "the first refused", refused),
    ...spellings(refused).map((text) => probe(keyword, `${label}: refused`, `the first refused written ${text}`, raw(text))),
    ...(Object.is(refused, 0) ? [probe(keyword, `${label}: refused`, "minus 0", raw("-0"))] : []),
    ...farther.map((value) => probe(keyword, `${label}: refused`, "farther out", value)),
  ];
}

/** JSON knows no difference between 100, 100.0 and 1e2 (RFC 8259 6). */
function spellings(value: number): string[] {
  if (!Number.isInteger(value) || Math.abs(value) > 2 ** 53) return [];
  return [`${value}.0`, `${value}e0`, value.toExponential()];
}

/** The double beside it. */
function neighbourOf(value: number, direction: 1 | -1): number {
  if (value === 0) return direction * tiniest;
  const away = value > 0 === direction > 0;
  return Math.sign(value) * (away ? nextUp(Math.abs(value)) : nextDown(Math.abs(value)));
}

function listProbes(shape: Shape, seed: number): Probe[] {
  if (!shape.items) return [];
  const { items, minItems, maxItems, uniqueItems } = shape;
  const distinct = distinctItems(items, (maxItems ?? 2) + 1, seed);
  const list = (length: number): unknown[] =>
    Array.from({ length }, (_, index) => withOwnId(items, distinct[index % distinct.length], index));
  const sized = (keyword: Keyword, edge: string, length: number): Probe[] => [probe(keyword, edge, `${length} items`, list(length))];
  const [first = null] = distinct;
  return [
    ...(!minItems ? [] : sized("minItems", `minItems ${minItems}: last accepted`, minItems)),
    ...(!minItems ? [] : sized("minItems", `minItems ${minItems}: first refused`, minItems - 1)),
    ...(maxItems === undefined ? [] : sized("maxItems", `maxItems ${maxItems}: last accepted`, maxItems)),
    ...(maxItems === undefined ? [] : sized("maxItems", `maxItems ${maxItems}: first refused`, maxItems + 1)),
    ...(uniqueItems ? [probe("uniqueItems", "uniqueItems: last accepted", "different items", distinct.slice(0, 2))] : []),
    ...(uniqueItems ? [probe("uniqueItems", "uniqueItems: first refused", "an item twice", [first, first])] : []),
  ];
}

/** Items that have an id must not share it. */
function withOwnId(items: Shape, item: unknown, index: number): unknown {
  const own = { ...(item as object), id: `i${index}` };
  return items.properties.id && validate(items, own).length === 0 ? own : item;
}

/** Valid items, no two alike, as many as there are up to `count`. */
function distinctItems(items: Shape, count: number, seed: number): unknown[] {
  const all = new Map(samplesOf(items, seed).map(({ value }) => [JSON.stringify(value), value]));
  const { maxLength = 20, minLength = 0 } = items;
  for (let index = 0; items.types.includes("string") && !items.enum && all.size < count && index < count * 2; index += 1) {
    const value = `w${index}`.padEnd(minLength, "x").slice(0, maxLength);
    if (validate(items, value).length === 0) all.set(JSON.stringify(value), value);
  }
  return [...all.values()].slice(0, count);
}

/** Members that nobody knows: misspelt ones above all, which must not vanish. */
function unknownMemberProbes(shape: Shape, seed: number): Probe[] {
  if (shape.additional !== false) return [];
  const [sample] = samplesOf(shape, seed);
  const known = Object.keys(shape.properties);
  const misspellings = known.flatMap((name) => [
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    `${name} `,
    `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    `_${name}`,
  ]);
  const names = [...new Set([...misspellings, "unknown", "__proto__", "constructor", "toString", "", "a/b", "a~b", "0", "ชื่อ"])];
  return names
    .filter((name) => !known.includes(name))
    .map((name) => {
      const value = JSON.stringify({ ...(sample?.value as object), "@@": 1 }).replace('"@@"', () => JSON.stringify(name));
      return { keyword: "additionalProperties", edge: "unknown member: refused", name: `the member ${JSON.stringify(name)}`, json: value };
    });
}
