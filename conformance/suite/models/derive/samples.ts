// Makes valid values of a schema.

import type { JsonType, Shape } from "../../contract/shape.ts";
import { validate } from "../../contract/validate-value.ts";
import { textsOfLength, textsOfPattern } from "./texts.ts";

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
