// What an assertion expected and what came instead, read from its error.

import { inspect } from "node:util";

import type { Comparison } from "../contract/mismatch.ts";

const maxLength = 4000;

/** Returns both sides of an assertion that failed; null when the error has none. */
export function comparisonOf(error: unknown): Comparison | null {
  if (!(error instanceof Error) || !("expected" in error) || !("actual" in error)) return null;
  const { expected, actual } = error;
  return expected === undefined && actual === undefined ? null : { expected: textOf(expected), actual: textOf(actual) };
}

/** Objects and lists have a line for each member, so that the lines that differ can be marked. */
function textOf(value: unknown): string {
  const text = typeof value === "string" ? value : inspect(value, { depth: 8, breakLength: 60, maxStringLength: 500, maxArrayLength: 100 });
  return text.length > maxLength ? `${text.slice(0, maxLength)} … (${text.length} characters)` : text;
}
