// What a schema asks of a value, with its references, `allOf` and unions worked out, and which of its rules a value breaks.

import { resolved, type Schema } from "./contract.ts";

export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

export type Shape = {
  /** Empty: any. */
  types: JsonType[];
  enum?: unknown[];
  /** In code points. */
  minLength?: number;
  maxLength?: number;
  patterns: string[];
  /** An annotation: it refuses nothing. */
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems: boolean;
  items?: Shape;
  properties: Record<string, Shape>;
  required: string[];
  /** Of members that are not named; false: there are none. */
  additional?: Shape | false;
  /** `anyOf`, `oneOf`: the value fits one of these, each whole. Empty: no union. */
  union: Shape[];
  examples: unknown[];
};

const annotations = [
  ...["$ref", "allOf", "anyOf", "oneOf", "title", "description", "default", "example", "examples", "format"],
  ...["deprecated", "readOnly", "writeOnly", "$comment", "discriminator", "externalDocs", "xml"],
];
const rules = [
  ...["type", "enum", "const", "minLength", "maxLength", "pattern"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems", "uniqueItems", "items"],
  ...["properties", "required", "additionalProperties"],
];

/** Schemas that hold themselves are followed this deep. */
const maxDepth = 8;
const anything: Shape = { types: [], patterns: [], uniqueItems: false, properties: {}, required: [], union: [], examples: [] };

/** Throws on a keyword that nothing here knows: better than leaving a rule untested. */
export function shapeOf(schema: Schema, document: Schema, depth = 0): Shape {
  if (depth > maxDepth) return anything;
  return partsOf(schema, document)
    .map((part) => plain(part, document, depth))
    .reduce(both, anything);
}

/** The schema without what it refers to, and what it refers to. */
function partsOf(schema: Schema, document: Schema): Schema[] {
  const { $ref, allOf = [], ...own } = schema as { $ref?: string; allOf?: Schema[] };
  const others = [...($ref === undefined ? [] : [resolved<Schema>({ $ref }, document)]), ...allOf];
  return [own, ...others.flatMap((other) => partsOf(other, document))];
}

function plain(schema: Schema, document: Schema, depth: number): Shape {
  const unknown = Object.keys(schema).filter((key) => ![...annotations, ...rules].includes(key) && !key.startsWith("x-"));
  if (unknown.length > 0) throw new Error(`the deriver does not know the keyword ${unknown.join(", ")}: teach it in suite/derive`);
  const inner = (below: unknown): Shape => shapeOf(below as Schema, document, depth + 1);
  const { type, pattern, items, properties = {}, additionalProperties: more, uniqueItems, required, format } = schema as Known;
  const own: Shape = {
    ...anything,
    ...bounds(schema),
    types: type === undefined ? [] : [type].flat(),
    patterns: pattern === undefined ? [] : [pattern],
    uniqueItems: uniqueItems === true,
    properties: Object.fromEntries(Object.entries(properties).map(([name, below]) => [name, inner(below)])),
    required: required ?? [],
    examples: examplesOf(schema),
    ...(format === undefined ? {} : { format }),
    // Items that are validated one by one break no rule of the request: rules/donations/import-donations.test.ts has theirs.
    ...(items === undefined ? {} : { items: schema["x-validated-per-item"] === true ? anything : inner(items) }),
    ...(more === undefined || more === true ? {} : { additional: more === false ? false : inner(more) }),
    ...("const" in schema ? { enum: [schema.const] } : {}),
  };
  const choices = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  return choices ? { ...own, union: choices.map((choice) => both(own, inner(choice))) } : own;
}

type Known = {
  type?: JsonType | JsonType[];
  pattern?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  uniqueItems?: boolean;
  required?: string[];
  format?: string;
};

const numeric = ["minLength", "minimum", "exclusiveMinimum", "minItems", "maxLength", "maximum", "exclusiveMaximum", "maxItems"] as const;

function bounds(schema: Schema): Partial<Shape> {
  return Object.fromEntries([...numeric, "enum"].filter((key) => schema[key] !== undefined).map((key) => [key, schema[key]]));
}

function examplesOf({ examples = [], ...schema }: Schema): unknown[] {
  return [...(examples as unknown[]), ...["example", "default"].filter((key) => key in schema).map((key) => schema[key])];
}

/** What keeps the rules of both. */
function both(a: Shape, b: Shape): Shape {
  const properties = { ...a.properties };
  for (const [name, shape] of Object.entries(b.properties)) properties[name] = properties[name] ? both(properties[name], shape) : shape;
  const unions = a.union.length > 0 && b.union.length > 0 ? a.union.flatMap((one) => b.union.map((other) => both(one, other))) : null;
  return {
    ...a,
    ...b,
    ...Object.fromEntries(numeric.flatMap((key) => tighter(key, a[key], b[key]))),
    types: commonTypes(a.types, b.types),
    ...(a.enum && b.enum ? { enum: a.enum.filter((one) => (b.enum as unknown[]).includes(one)) } : {}),
    patterns: [...new Set([...a.patterns, ...b.patterns])],
    uniqueItems: a.uniqueItems || b.uniqueItems,
    ...(a.items && b.items ? { items: both(a.items, b.items) } : {}),
    properties,
    required: [...new Set([...a.required, ...b.required])],
    ...(a.additional === false ? { additional: false as const } : {}),
    union: unions ?? [...a.union.map((one) => both(one, { ...b, union: [] })), ...b.union.map((one) => both(one, { ...a, union: [] }))],
    examples: [...a.examples, ...b.examples],
  };
}

function tighter(key: (typeof numeric)[number], a: number | undefined, b: number | undefined): [string, number][] {
  const stated = [a, b].filter((bound) => bound !== undefined);
  if (stated.length === 0) return [];
  return [[key, /^(min|exclusiveMin)/.test(key) ? Math.max(...stated) : Math.min(...stated)]];
}

function commonTypes(a: JsonType[], b: JsonType[]): JsonType[] {
  if (a.length === 0 || b.length === 0) return [...a, ...b];
  const wholeOf = (one: JsonType, others: JsonType[]): boolean => one === "integer" && others.includes("number");
  return [...new Set([...a.filter((one) => b.includes(one) || wholeOf(one, b)), ...b.filter((one) => wholeOf(one, a))])];
}

// Decides which rules of a schema a value breaks: the suite's own reading of JSON Schema, independent of any validator of a server.

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
