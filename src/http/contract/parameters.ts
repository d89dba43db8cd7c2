// Reads query and path parameters with the types of the contract, before they are validated: Ajv's own coercion is off, because it would accept
// "0x10" and " 5 " as numbers. After that it resolves `from`, `to` and `timezone` into a range of instants, so that no time zone is used in SQL.

import { daysFromCivil, parseInstant } from "../../base/instant.ts";
import { isTimeZoneName, startOfDay, zoneOf } from "../../base/local-days.ts";
import { storable } from "../body/json.ts";
import { type Fault, Problem } from "../problem.ts";
import { defaultTimezone } from "./published.ts";

export type ParameterKind = "string" | "integer" | "number" | "boolean" | "array";
export type ParameterKinds = ReadonlyMap<string, ParameterKind>;
export type Values = Record<string, unknown>;

const integer = /^-?(?:0|[1-9][0-9]*)$/;
const jsonNumber = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

/** Reads a query string. Unknown and repeated parameters become faults; everything else is checked by the validator. */
export function readQuery(queryString: string, kinds: ParameterKinds): { query: Values; faults: Fault[] } {
  const query: Values = {};
  if (queryString === "") return { query, faults: [] };
  const faults = new Map<string, Fault>();
  for (const [rawName, text] of new URLSearchParams(queryString)) {
    const name = storable(rawName);
    const kind = kinds.get(name);
    const value = storable(text);
    if (kind === undefined) faults.set(name, unknownParameter(name));
    else if (kind === "array" && name in query) (query[name] as unknown[]).push(value);
    else if (kind === "array") query[name] = [value];
    else if (name in query) faults.set(name, repeatedParameter(name));
    else query[name] = typed(value, kind);
  }
  return { query, faults: [...faults.values()] };
}

/**
 * Reads parameters of OAuth (RFC 6749 3.1, 3.2) in a query or a body: unknown ones are ignored, empty ones count as left out. What is no string
 * is left to the schema of the body. Repeated ones are named, even with empty values, and their first value is used.
 */
export function readOAuthParameters(pairs: Iterable<[string, unknown]>, known: readonly string[]): OAuthParameters {
  const values: Values = {};
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const [name, value] of pairs) {
    if (!known.includes(name)) continue;
    if (seen.has(name)) repeated.add(name);
    seen.add(name);
    if (value !== "") values[name] ??= typeof value === "string" ? storable(value) : value;
  }
  return { values, repeated: [...repeated] };
}

type OAuthParameters = { values: Values; repeated: string[] };

/** Decodes one path segment. A malformed escape is left unchanged, so that no object is found for it. */
export function decodeSegment(segment: string): string {
  try {
    return storable(decodeURIComponent(segment));
  } catch {
    return storable(segment);
  }
}

function typed(text: string, kind: ParameterKind): unknown {
  if (kind === "integer" && integer.test(text)) return Number(text);
  if (kind === "number" && jsonNumber.test(text)) return Number(text);
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** The fault of a parameter that the operation does not have. */
export function unknownParameter(parameter: string): Fault {
  return { parameter, code: "unknown_parameter", message: "is not a parameter of this operation" };
}

/** The fault of a parameter that is sent more than once. */
export function repeatedParameter(parameter: string): Fault {
  return { parameter, code: "repeated_parameter", message: "must not be repeated" };
}

/** Instants from `from` up to but not including `to`, in milliseconds; null is without bound. */
export type Range = Readonly<{ from: number | null; to: number | null }>;

export type RangeParameters = { from?: string | undefined; to?: string | undefined; timezone: string };

/** Parameters of which some bound each other. */
type Bounds = RangeParameters & { minAmount?: number | undefined; maxAmount?: number | undefined };

/**
 * A date means the local day (`to` includes it), a date-time an instant. Throws invalid_range for an unknown time zone, for an empty or
 * reversed range, and for amounts in reverse.
 */
export function resolveRange(bounds: Bounds): Range {
  const { range, faults } = read(bounds);
  if (faults.length > 0)
    throw new Problem("invalid_range", faults.map(({ parameter, message }) => `${parameter} ${message}`).join("; "), { errors: faults });
  return range;
}

/**
 * The faults that no schema states: a search with neither a text nor a cursor, which contains one; and beside others what resolveRange refuses,
 * of the parameters that are not among `named`.
 */
export function unstatedFaults({ id, query }: Asked, values: Readonly<Values>, named: readonly Fault[]): Fault[] {
  const faults: Fault[] = [];
  if (id === "searchDonations" && values.q === undefined && values.cursor === undefined)
    faults.push({ parameter: "q", code: "required", message: "is required without a cursor" });
  if (!query.has("timezone") || named.length + faults.length === 0) return faults;
  const isRight = (name: string) => !named.some(({ parameter }) => parameter === name);
  const { from, ...right } = Object.fromEntries(Object.entries(values).filter(([name]) => isRight(name))) as Partial<Bounds>;
  const comparable = isRight("timezone") ? { from } : {};
  return [...faults, ...read({ timezone: defaultTimezone, ...right, ...comparable }).faults];
}

/** Name and parameters of an operation. */
type Asked = { id: string; query: ParameterKinds };

function read({ from, to, timezone, minAmount, maxAmount }: Bounds): { range: Range; faults: Fault[] } {
  const known = isTimeZoneName(timezone);
  const start = known && from !== undefined ? instantOf(from, 0, timezone) : null;
  const end = known && to !== undefined ? instantOf(to, 1, timezone) : null;
  const faults: Fault[] = [];
  if (minAmount !== undefined && maxAmount !== undefined && minAmount > maxAmount)
    faults.push({ parameter: "maxAmount", code: "out_of_range", message: "must not be below minAmount" });
  if (!known) faults.push({ parameter: "timezone", code: "invalid_format", message: `must be an IANA name such as ${defaultTimezone}` });
  if (start !== null && end !== null && start >= end) faults.push({ parameter: "to", code: "out_of_range", message: "must be after from" });
  return { range: { from: start, to: end }, faults };
}

/** That of a date-time; of a date the first one of the local day, or of one `plusDays` after it. */
function instantOf(bound: string, plusDays: number, timezone: string): number {
  if (bound.includes("T")) return parseInstant(bound).ms;
  const [year, month, day] = bound.split("-").map(Number) as [number, number, number];
  return startOfDay(daysFromCivil(year, month, day) + plusDays, zoneOf(timezone));
}
