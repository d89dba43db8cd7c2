// Makes valid values of a schema.

import fc from "fast-check";
import { type JsonType, matcher, type Shape, validate } from "../../contract/shape.ts";
import { textOf } from "../../values/text.ts";

/** A valid value; of an example where there is one. Throws where none can be made. */
export function sampleOf(shape: Shape, seed: number): unknown {
  const [first] = samplesOf(shape, seed);
  if (first === undefined) throw new Error(`no valid value can be made of ${JSON.stringify(shape)}: give its schema an example`);
  return first.value;
}

type Sample = { value: unknown };

const sampleCache = new WeakMap<Shape, { seed: number; samples: Sample[] }>();

/** Valid values, different ones as far as they go, examples first. */
export function samplesOf(shape: Shape, seed: number): Sample[] {
  const before = sampleCache.get(shape);
  if (before?.seed === seed) return before.samples;
  const samples = newSamples(shape, seed);
  sampleCache.set(shape, { seed, samples });
  return samples;
}

function newSamples(shape: Shape, seed: number): Sample[] {
  const given = [...shape.examples, ...(shape.enum ?? []), ...shape.union.flatMap((one) => samplesOf(one, seed).map(({ value }) => value))];
  const made = shape.types.flatMap((type) => valuesOf(shape, type, seed));
  const valid = [...given, ...made, ...(shape.types.length === 0 ? ["x"] : [])].filter((value) => validate(shape, value).length === 0);
  const unique = new Map(valid.map((value) => [JSON.stringify(value), { value }]));
  return [...unique.values()];
}

function valuesOf(shape: Shape, type: JsonType, seed: number): unknown[] {
  switch (type) {
    case "null":
      return [null];
    case "boolean":
      return [true, false];
    case "string":
      return stringsOf(shape, seed);
    case "integer":
    case "number":
      return numbersOf(shape);
    case "array":
      return arraysOf(shape, seed);
    case "object":
      return [
        Object.fromEntries(
          shape.required.flatMap((name) => {
            const member = shape.properties[name];
            return member ? [[name, sampleOf(member, seed)]] : [];
          }),
        ),
      ];
  }
}

function stringsOf(shape: Shape, seed: number): string[] {
  const { minLength = 0, maxLength = minLength + 8 } = shape;
  const patterned = textsOfPattern(shape, seed);
  if (patterned.length > 0) return patterned;
  const wanted = Math.min(maxLength, Math.max(minLength, 8));
  return [...new Set([wanted, minLength])].flatMap((length) => textsOfLength(length, [], seed).map(({ text }) => text));
}

function numbersOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Shape): number[] {
  const bounds = [minimum, maximum, exclusiveMinimum, exclusiveMaximum].filter((bound) => bound !== undefined);
  const near = bounds.flatMap((bound) => [bound + 1, bound - 1, bound]);
  const between = bounds.length === 2 ? [((bounds[0] ?? 0) + (bounds[1] ?? 0)) / 2] : [];
  return [20, 1, 20.5, ...near, ...between, ...Array.from({ length: 10 }, (_, index) => index + 2)];
}

function arraysOf({ items, minItems = 0 }: Shape, seed: number): unknown[][] {
  if (!items) return [[]];
  const all = samplesOf(items, seed).map(({ value }) => value);
  return [all.slice(0, Math.max(1, minItems)), all.slice(0, minItems)];
}

// Texts of a length or of a pattern.

/** A text with a description. */
export type Text = { name: string; text: string };

// Each can be repeated to any length in code points; counting UTF-16 units, bytes or graphemes gives another number.
const clusters: Text[] = [
  { name: "ASCII", text: "x" },
  { name: "emoji beyond the BMP", text: "😀" },
  { name: "Thai with marks", text: "ก้ำ" },
  { name: "combining accents", text: "e\u0301" },
  { name: "joined emoji", text: "👩\u200d👧" },
  { name: "blanks", text: " " },
  { name: "CJK beyond the BMP", text: "𠮷" },
];

/** The first `length` code points of the text repeated. */
function cycled(text: string, length: number): string {
  const points = [...text];
  return text.repeat(Math.floor(length / points.length)) + points.slice(0, length % points.length).join("");
}

const maxDrawnLength = 1000;

/** Texts of exactly `length` code points; some made of `models`, for patterns that take few characters. */
export function textsOfLength(length: number, models: readonly string[], seed: number): Text[] {
  const made = clusters.map(({ name, text }) => ({ name, text: cycled(text, length) }));
  const modelled = models.filter(Boolean).flatMap((model) => [
    { name: "its own characters", text: cycled(model, length) },
    { name: "its own first character", text: cycled([...model][0] ?? "", length) },
    { name: "one of its own, drawn out", text: stretched(model, length) },
  ]);
  const any = length > maxDrawnLength ? [] : fc.sample(textOf(length), { seed, numRuns: 2 });
  if (length === 0) return [{ name: "nothing", text: "" }];
  return [...made, ...modelled, ...any.map((text) => ({ name: "any letters", text }))];
}

const textCache = new Map<string, string[]>();

/** A few texts that the patterns take, as far as they can be made. */
export function textsOfPattern({ patterns }: Shape, seed: number): string[] {
  const [pattern] = patterns;
  if (pattern === undefined) return [];
  const texts = textCache.get(`${seed} ${pattern}`) ?? drawTexts(pattern, seed);
  textCache.set(`${seed} ${pattern}`, texts);
  return texts;
}

function drawTexts(pattern: string, seed: number): string[] {
  try {
    return fc.sample(fc.stringMatching(matcher(pattern)), { seed, numRuns: 8 });
  } catch {
    return []; // a pattern of a kind that can't be run backwards: its examples must do
  }
}

/** The text with one thing about it changed: what a pattern may or may not take. */
export function edits(text: string): Text[] {
  const points = [...text];
  const at = (index: number, count: number, put: string): string =>
    [...points.slice(0, index), put, ...points.slice(index + count)].join("");
  const everywhere = points.flatMap((point, index) => [
    { name: `without its character ${index + 1}`, text: at(index, 1, "") },
    ...replacements(point).map((put) => ({ name: `with ${JSON.stringify(put)} for its character ${index + 1}`, text: at(index, 1, put) })),
    { name: `with its character ${index + 1} twice`, text: at(index, 0, point) },
    { name: `with its characters ${index + 1} and ${index + 2} swapped`, text: at(index, 2, `${points[index + 1] ?? ""}${point}`) },
  ]);
  return [...around(text), ...everywhere].filter((edit) => edit.text !== text);
}

/** `count` of the values at even distances, chosen by the seed; always includes the first few. */
export function spread<T>(all: readonly T[], count: number, seed: number): T[] {
  const [always, rest] = [all.slice(0, 10), all.slice(10)];
  const step = Math.max(1, Math.ceil(rest.length / (count - always.length)));
  return [...always, ...rest.filter((_, index) => index % step === Math.abs(seed) % step)];
}

const around = (text: string): Text[] => [
  { name: "with a blank after it", text: `${text} ` },
  { name: "with a blank before it", text: ` ${text}` },
  { name: "with a line end after it", text: `${text}\n` },
  { name: "with a line end before it", text: `\n${text}` },
  { name: "twice", text: text + text },
  { name: "in upper case", text: text.toUpperCase() },
  { name: "in lower case", text: text.toLowerCase() },
  { name: "in full-width characters", text: text.replace(/[!-~]/g, (char) => String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xfee0)) },
  { name: "with a zero-width space after it", text: `${text}\u200b` },
  { name: "emptied", text: "" },
];

function replacements(point: string): string[] {
  if (/\d/.test(point)) return [...new Set(["9", "6", "3", "0", "๓", "x"])].filter((digit) => digit !== point);
  if (/[a-z]/i.test(point)) return [point === point.toUpperCase() ? point.toLowerCase() : point.toUpperCase(), " ", "é"];
  return [" ", "_", "."].filter((other) => other !== point);
}

/** The text stretched or shortened to the length by repeating or removing its middle character. */
function stretched(text: string, length: number): string {
  const points = [...text];
  const middle = Math.floor(points.length / 2);
  const missing = Math.max(0, length - points.length);
  const kept = [...points.slice(0, middle), (points[middle] ?? "").repeat(missing + 1), ...points.slice(middle + 1)].join("");
  return [...kept].slice(0, length).join("");
}
