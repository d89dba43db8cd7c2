// Builds a valid request of any operation, with some values replaced.

import { bodyOf } from "./bodies.ts";
import type { Field, Input, Inputs } from "./inputs.ts";
import { partnerOf } from "./pairs.ts";
import { sampleOf } from "./samples.ts";

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
