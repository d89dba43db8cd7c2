// What a schema asks of a value, with its references, `allOf` and unions worked out.

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
