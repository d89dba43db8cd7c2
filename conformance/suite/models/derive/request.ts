// Builds a valid request of any operation, with some values replaced, and validates whole requests from the bytes that are sent.

import type { Field, Input, Inputs } from "../../contract/inputs.ts";
import { type Broken, type Keyword, type Shape, validate } from "../../contract/shape.ts";
import { smallestFile } from "../../values/media.ts";
import { sampleOf, samplesOf } from "./samples.ts";

// Two values of which one may not pass the other: no schema can say so. One is tried while the other is out of its way.

/** The partner of a parameter or member, by name. */
export function partnerOf(name: string): string | null {
  if (name === "from") return "to";
  if (name === "to") return "from";
  const [, end, what] = /^(min|max)((?:imum)?[A-Z].*)$/.exec(name) ?? [];
  return what === undefined ? null : `${end === "min" ? "max" : "min"}${what}`;
}

/** Whether the name is that of the lower of two. */
export const isLower = (name: string): boolean => /^(from$|min)/.test(name);

/** A request in parts, its body as the text that is sent. */
export type Parts = {
  path: Record<string, string>;
  query: [name: string, text: string][];
  headers: Record<string, string>;
  body: string | null;
};

/** Values of a request that no schema states. */
export type Hints = {
  /** Members of a body and what every request says there, or leaves out (undefined), unless the rule is about them. */
  members: Record<string, (required: boolean) => unknown>;
  /** Path parameters that name something there is. */
  subjects: Record<string, string>;
};

/** `fullest`: with every optional member and parameter. */
export type Base = { seed: number; hints: Hints; fullest?: boolean };

/** A probe's value at its field, as JSON text; null: left out. `beside`: keeps the other bound of a range, which it might contradict. */
export type Put = { field: Field; json: string | null; beside?: boolean };

/** A valid request, with some values put into it. */
export function requestOf(inputs: Inputs, base: Base, puts: readonly Put[] = []): Parts {
  const of = (where: Input["in"]): [string, string][] =>
    inputs.parameters.filter((one) => one.in === where).flatMap((one) => textsOf(one, inputs, base, puts));
  return {
    path: Object.fromEntries(of("path")),
    query: of("query"),
    headers: Object.fromEntries(of("header")),
    body: inputs.body
      ? bodyOf(
          inputs.body,
          base,
          puts.filter(({ field }) => field.in === "body"),
        )
      : null,
  };
}

/** Path and query as they stand in the request line. */
export function addressOf({ operation }: Inputs, { path, query }: Pick<Parts, "path" | "query">): string {
  const filled = operation.path.replace(/\{([^}]*)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
  const pairs = query.map(([name, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`);
  return pairs.length > 0 ? `${filled}?${pairs.join("&")}` : filled;
}

function textsOf({ name, in: where, shape, required }: Input, inputs: Inputs, base: Base, puts: readonly Put[]): [string, string][] {
  const put = puts.find(({ field }) => field.in === where && field.name === name);
  if (put) return put.json === null ? [] : asTexts(name, valueToPut(put));
  const subject = where === "path" ? base.hints.subjects[name] : undefined;
  if (subject !== undefined) return [[name, subject]];
  if (!required && !base.fullest && !isRange(name, inputs, puts)) return [];
  return asTexts(name, sampleOf(shape, base.seed));
}

/** From and to narrow what is read, which is quicker; one alone is tried without the other, which it might contradict. */
function isRange(name: string, { parameters }: Inputs, puts: readonly Put[]): boolean {
  if (!["from", "to"].includes(name)) return false;
  const paired = parameters.some((parameter) => parameter.name === partnerOf(name));
  return paired && !puts.some(({ field, beside }) => field.name === partnerOf(name) && !beside);
}

/** An item of a list stands in a list of one. */
const valueToPut = ({ field, json }: Put): unknown => (field.path.length > 0 ? [JSON.parse(json ?? "null")] : JSON.parse(json ?? "null"));

function asTexts(name: string, value: unknown): [string, string][] {
  const text = (one: unknown): string => (typeof one === "string" ? one : JSON.stringify(one));
  return (Array.isArray(value) ? value : [value]).map((one) => [name, text(one)]);
}

/** The text of a valid body with some values replaced literally: JSON has many ways to write a value. */
function bodyOf({ shape, example, mediaType, isFile }: NonNullable<Inputs["body"]>, base: Base, puts: readonly Put[]): string | null {
  if (isFile) return smallestFile;
  const root = puts.find(({ field }) => field.path.length === 0);
  if (root) return root.json;
  const members = base.fullest ? fullest(shape, base.seed) : smallest(shape, example, base.seed);
  const valid = withHints(withRangesWidened(members, shape), shape, base.hints);
  const marked = puts.reduce(
    (whole, { field }, index) => placed(whole, shape, { path: field.path, mark: markOf(index), seed: base.seed }),
    valid,
  );
  if (mediaType === "application/x-www-form-urlencoded") return formOf(marked as object, puts);
  return puts.reduce(written, without(JSON.stringify(marked), puts));
}

const markOf = (index: number): string => `@@value to try ${index}@@`;

const written = (text: string, { json }: Put, index: number): string =>
  json === null ? text : text.replace(JSON.stringify(markOf(index)), () => json);

function smallest(shape: Shape, example: unknown, seed: number): unknown {
  if (typeof example !== "object" || example === null || validate(shape, example).length > 0) return sampleOf(shape, seed);
  const needed = Object.entries(example).filter(([name]) => shape.required.includes(name));
  return Object.fromEntries(needed);
}

/** A value with every member of the shape. */
function fullest(shape: Shape, seed: number): unknown {
  const [object] = [shape, ...shape.union].filter((one) => Object.keys(one.properties).length > 0);
  if (!object) return sampleOf(shape, seed);
  const members = Object.entries(object.properties).map(([name, member]) => [name, fullest(member, seed)]);
  return Object.fromEntries(members);
}

/** Moves the two values of a range to its ends, so that neither limits the other. */
function withRangesWidened(value: unknown, { properties }: Shape): unknown {
  if (!isObject(value)) return value;
  const paired = Object.keys(properties).filter((name) => properties[partnerOf(name) ?? ""]);
  const ends = paired.map((name) => [name, endOf(properties[name] as Shape, isLower(name))]);
  return { ...value, ...Object.fromEntries(ends.filter(([, end]) => end !== undefined)) };
}

/** The least or greatest number, or the first or last day. */
function endOf(shape: Shape, lower: boolean): unknown {
  const day = lower ? "0000-01-01" : "9999-12-31";
  return (lower ? shape.minimum : shape.maximum) ?? (validate(shape, day).length === 0 ? day : undefined);
}

function withHints(value: unknown, { properties, required }: Shape, { members }: Hints): unknown {
  if (!isObject(value)) return value;
  const known = Object.keys(members).filter((name) => properties[name]);
  const all = { ...value, ...Object.fromEntries(known.map((name) => [name, members[name]?.(required.includes(name))])) };
  return Object.fromEntries(Object.entries(all).filter(([, member]) => member !== undefined));
}

type Place = { path: Field["path"]; mark: string; seed: number };

/** The value with the mark at its place; creates missing parents. */
function placed(value: unknown, shape: Shape, { path, mark, seed }: Place): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return mark;
  const [owner = shape] = [shape, ...shape.union].filter((one) => (typeof step === "number" ? one.items : memberOf(one, step)));
  const below = (typeof step === "number" ? owner.items : memberOf(owner, step)) as Shape;
  if (typeof step === "number") return [placed(undefined, below, { path: rest, mark, seed })];
  const object = isObject(value) ? value : (withRangesWidened(objectOf(owner, seed), owner) as Record<string, unknown>);
  return { ...object, [step]: placed(object[step], below, { path: rest, mark, seed }) };
}

const memberOf = ({ properties, additional }: Shape, name: string): Shape | false | undefined => properties[name] ?? additional;

const objectOf = (shape: Shape, seed: number): Record<string, unknown> =>
  samplesOf(shape, seed)
    .map(({ value }) => value)
    .find(isObject) ?? {};

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);

/** The body without the members to leave out. */
function without(text: string, puts: readonly Put[]): string {
  const leftOut = puts.flatMap(({ json }, index) => (json === null ? [markOf(index)] : []));
  if (leftOut.length === 0) return text;
  return JSON.stringify(JSON.parse(text, (_, value) => (leftOut.includes(value) ? undefined : value)));
}

function formOf(members: object, puts: readonly Put[]): string {
  const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
  const pairs = Object.entries(members).flatMap(([name, value]): [string, string][] => {
    const index = puts.findIndex((_, one) => value === markOf(one));
    if (index < 0) return [[name, text(value)]];
    const json = puts[index]?.json ?? null;
    return json === null ? [] : [[name, text(JSON.parse(json))]];
  });
  return new URLSearchParams(pairs).toString();
}

// Validates a whole request against the contract, from the bytes that are sent.

/** Every rule that the request breaks, worked out from the bytes that are sent. */
export function brokenRules(inputs: Inputs, parts: Parts): Broken[] {
  return [...brokenParameters(inputs, parts), ...brokenBody(inputs, parts.body)];
}

function brokenParameters({ parameters }: Inputs, { path, query, headers }: Parts): Broken[] {
  const texts = (where: Input["in"], name: string): string[] => {
    if (where === "query") return query.filter(([one]) => one === name).map(([, text]) => text);
    return [(where === "path" ? path : headers)[name]].filter((text) => text !== undefined);
  };
  const known = new Set(parameters.filter((one) => one.in === "query").map(({ name }) => name));
  const strangers = [...new Set(query.map(([name]) => name).filter((name) => !known.has(name)))];
  const named = (at: string, keyword: Keyword): Broken => ({ at, keyword });
  return [
    ...strangers.map((name) => named(name, "unknownParameter")),
    ...parameters.flatMap(({ name, in: where, shape, required }) => {
      const values = texts(where, name);
      if (values.length === 0) return required ? [named(name, "required")] : [];
      if (isList(shape))
        return validate(
          shape,
          values.map((text) => typed(text, shape.items)),
        ).map(({ keyword }) => named(name, keyword));
      if (values.length > 1) return [named(name, "repeatedParameter")];
      return validate(shape, typed(values[0] as string, shape)).map(({ keyword }) => named(name, keyword));
    }),
  ];
}

const isList = ({ types }: Shape): boolean => types.includes("array");

/** A parameter's text as the value that its schema means; a text that is no number or truth value stays a text. */
function typed(text: string, shape: Shape | undefined): unknown {
  const types = shape?.types ?? [];
  if (types.includes("integer") && /^-?(?:0|[1-9][0-9]*)$/.test(text)) return Number(text);
  if (types.includes("number") && /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(text)) return Number(text);
  if (types.includes("boolean") && (text === "true" || text === "false")) return text === "true";
  return text;
}

function withoutEmpty(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== ""));
}

function brokenBody({ body }: Inputs, text: string | null): Broken[] {
  if (!body) return [];
  if (text === null) return body.required ? [{ at: "", keyword: "required" }] : [];
  if (body.isFile) return [];
  const form = body.mediaType === "application/x-www-form-urlencoded";
  const value: unknown = form ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text);
  return validate(body.shape, body.emptyIsAbsent ? withoutEmpty(value) : value);
}
