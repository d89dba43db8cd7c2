// JSON text: decoded and parsed strictly, within the depth of the contract, and without what PostgreSQL can't store.

import { maxNesting } from "../contract/published.ts";
import { Problem } from "../problem.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Reads JSON text from its bytes. Throws malformed_json, as `parseJson`, and for invalid UTF-8. */
export function decodeJson(bytes: Buffer): unknown {
  return parseJson(decode(bytes));
}

/** Parses JSON text. Throws malformed_json, also for too deep nesting. NUL and lone surrogates become U+FFFD before any check. */
export function parseJson(text: string): unknown {
  if (nestsTooDeep(text)) throw new Problem("malformed_json", `The body nests deeper than ${maxNesting} levels.`);
  try {
    const value: unknown = JSON.parse(text);
    return mayContainBadText(text) ? wellFormed(value) : value;
  } catch (cause) {
    throw new Problem("malformed_json", text.trim() === "" ? "The body is empty." : "The body is not well-formed JSON.", { cause });
  }
}

/** Names of the members of the outermost object in valid JSON text, with repetitions: JSON.parse keeps only one of each name. */
export function memberNames(text: string): string[] {
  const names: string[] = [];
  let depth = 0;
  for (const [token, name] of text.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[[{\]}]/gsu)) {
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    else if (name !== undefined && depth === 1) names.push(JSON.parse(name));
  }
  return names;
}

/** Text that PostgreSQL can store: NUL and lone surrogates become U+FFFD. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

/** Throws malformed_json. */
export function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new Problem("malformed_json", "The body is not valid UTF-8.", { cause });
  }
}

/** Whether arrays and objects nest deeper than the limit. Brackets inside strings do not count. */
function nestsTooDeep(text: string): boolean {
  if (brackets(text) <= maxNesting) return false;
  let depth = 0;
  let quoted = false;
  // Character by character, because a regular expression takes a hundred times as long for a body of quotes.
  for (let at = 0; at < text.length; at += 1) {
    const letter = text[at];
    if (letter === '"') quoted = !quoted;
    else if (quoted) at += letter === "\\" ? 1 : 0;
    else if (letter === "[" || letter === "{") depth += 1;
    else if (letter === "]" || letter === "}") depth -= 1;
    if (depth > maxNesting) return true;
  }
  return false;
}

/** Counts opening brackets, also inside strings. An ordinary body has so few that it cannot nest too deep. */
function brackets(text: string): number {
  return occurrences(text, "{") + occurrences(text, "[");
}

export function occurrences(text: string, letter: string): number {
  let count = 0;
  for (let at = text.indexOf(letter); at >= 0; at = text.indexOf(letter, at + 1)) count += 1;
  return count;
}

/** In valid UTF-8 only an escape can denote NUL or a lone surrogate. */
function mayContainBadText(text: string): boolean {
  return text.includes("\\u");
}

function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return storable(value);
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storable(name), wellFormed(member)]));
}
