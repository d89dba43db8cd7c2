// Decides which rules of a schema a value breaks: the suite's own reading of JSON Schema, independent of any validator of a server.

import type { JsonType, Shape } from "./shape.ts";

export const keywords = [
  ...(["type", "enum", "minLength", "maxLength", "pattern", "format"] as const),
  ...(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] as const),
  ...(["minItems", "maxItems", "uniqueItems", "required", "additionalProperties"] as const),
  ...(["unknownParameter", "repeatedParameter"] as const),
];

export type Keyword = (typeof keywords)[number];

/** `at`: JSON pointer of the member at fault, as long as the whole is a body. */
export type Broken = { at: string; keyword: Keyword };

export function validate(shape: Shape, value: unknown, at = ""): Broken[] {
  if (shape.union.length > 0) return validateUnion(shape.union, value, at);
  if (!hasType(shape.types, value)) return [{ at, keyword: "type" }];
  return [...ownFaults(shape, value).map((keyword) => ({ at, keyword })), ...innerFaults(shape, value, at)];
}

/** `~` and `/` escaped (RFC 6901). */
export const pointerTo = (at: string, name: string | number): string => `${at}/${String(name).replaceAll("~", "~0").replaceAll("/", "~1")}`;

export function typeOf(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value as JsonType;
}

const matchers = new Map<string, RegExp>();

/** A pattern as JSON Schema reads it: anywhere in the text, by code points. */
export function matcher(pattern: string): RegExp {
  const known = matchers.get(pattern) ?? new RegExp(pattern, "u");
  matchers.set(pattern, known);
  return known;
}

/** Of the alternatives that accept the value's type, the one with the fewest faults counts. */
function validateUnion(union: readonly Shape[], value: unknown, at: string): Broken[] {
  const near = union.filter((one) => one.union.length > 0 || hasType(one.types, value));
  const [best] = near.map((one) => validate(one, value, at)).sort((a, b) => a.length - b.length);
  return best ?? [{ at, keyword: "type" }];
}

function hasType(types: readonly JsonType[], value: unknown): boolean {
  const type = typeOf(value);
  return types.length === 0 || types.includes(type) || (type === "integer" && types.includes("number"));
}

/** Rules of the value itself. */
function ownFaults(shape: Shape, value: unknown): Keyword[] {
  const broken: Keyword[] = [];
  const check = (keyword: Keyword, holds: boolean): void => void (holds || broken.push(keyword));
  check("enum", shape.enum?.some((one) => same(one, value)) ?? true);
  if (typeof value === "string") {
    const length = [...value].length;
    check("minLength", length >= (shape.minLength ?? 0));
    check("maxLength", length <= (shape.maxLength ?? Number.POSITIVE_INFINITY));
    check(
      "pattern",
      shape.patterns.every((pattern) => matcher(pattern).test(value)),
    );
  }
  if (typeof value === "number") {
    check("minimum", !(value < (shape.minimum ?? Number.NEGATIVE_INFINITY)));
    check("maximum", !(value > (shape.maximum ?? Number.POSITIVE_INFINITY)));
    check("exclusiveMinimum", shape.exclusiveMinimum === undefined || value > shape.exclusiveMinimum);
    check("exclusiveMaximum", shape.exclusiveMaximum === undefined || value < shape.exclusiveMaximum);
  }
  if (Array.isArray(value)) {
    check("minItems", value.length >= (shape.minItems ?? 0));
    check("maxItems", value.length <= (shape.maxItems ?? Number.POSITIVE_INFINITY));
    check("uniqueItems", !shape.uniqueItems || new Set(value.map(canonical)).size === value.length);
  }
  return broken;
}

/** Rules of its items and members. */
function innerFaults(shape: Shape, value: unknown, at: string): Broken[] {
  if (Array.isArray(value)) {
    const { items } = shape;
    return items ? value.flatMap((item, index) => validate(items, item, pointerTo(at, index))) : [];
  }
  if (typeof value !== "object" || value === null) return [];
  const missing = shape.required.filter((name) => !Object.hasOwn(value, name));
  return [
    ...missing.map((name) => ({ at: pointerTo(at, name), keyword: "required" as const })),
    ...Object.entries(value).flatMap(([name, member]) => validateMember(shape, name, member, pointerTo(at, name))),
  ];
}

function validateMember({ properties, additional }: Shape, name: string, member: unknown, at: string): Broken[] {
  const known = Object.hasOwn(properties, name) ? properties[name] : additional;
  if (known === undefined) return [];
  return known === false ? [{ at, keyword: "additionalProperties" }] : validate(known, member, at);
}

const same = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b);

function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.sort().join()}}`;
}
