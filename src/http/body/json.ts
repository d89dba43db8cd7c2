// JSON of bodies, as one text or as lines: decoded and parsed strictly, within the depth of the contract, and without what PostgreSQL can't
// store.

import type { IncomingMessage } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { resultWithin } from "../../base/async.ts";
import { maxBodyBytes, maxNesting } from "../contract/published.ts";
import { Problem } from "../problem.ts";
import { exemptFromRequestTimeout, timeouts } from "../server/server-limits.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

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

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Text that PostgreSQL can store: NUL and lone surrogates become U+FFFD. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

/** Reads UTF-8. Throws malformed_json. */
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

// A body of JSON lines (application/x-ndjson), read while it arrives: each line is a JSON text of its own, and is validated as a body would be.

/**
 * A line, by its place among all lines from 0: its JSON value, or why it has none. `emptyLines`: so many lines have this problem together, and
 * the place is that of the first.
 */
export type BodyLine = Readonly<{ index: number } & ({ value: unknown } | { problem: Problem; emptyLines?: number })>;

/** The lines of a body in groups that have arrived together. Asking for the next group is what reads on from the connection. */
export type BodyLines = AsyncIterable<readonly BodyLine[]>;

export const linesType = "application/x-ndjson";

/** Lines of a group: about as many as are recorded in one statement. */
const maxGroup = 200;

export function isBodyLines(body: unknown): body is BodyLines {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/**
 * Reads the lines of a request. A line above the limit of a body is a line with the problem payload_too_large. Empty lines are left out; the
 * last line says how many there were. When a line takes longer to arrive than a request may, it is the problem request_timeout, and nothing
 * more is read; empty lines do not count as lines that arrive.
 */
export function readBodyLines(request: IncomingMessage, lineTimeoutMs = timeouts.request): BodyLines {
  exemptFromRequestTimeout(request);
  return groupsOf(request, lineTimeoutMs);
}

async function* groupsOf(request: IncomingMessage, lineTimeoutMs: number): AsyncGenerator<readonly BodyLine[]> {
  const splitter = lineSplitter(maxBodyBytes);
  const reader = lineReader();
  const chunks = request[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let waitedMs = 0; // for the present line; what the writing of lines takes does not count
  for (;;) {
    const since = performance.now();
    const chunk = await resultWithin(Math.max(0, lineTimeoutMs - waitedMs), chunks.next());
    waitedMs += performance.now() - since;
    if (chunk === null) return void (yield [reader.tooSlow(), ...reader.emptyLines()]);
    if (chunk.done) break;
    await nextTurn(); // empty lines wait for nothing, and other requests would wait for all of them
    for (const group of inGroups(splitter.push(chunk.value), reader)) {
      waitedMs = 0;
      await nextTurn(); // nor do lines that are no donations
      yield group;
    }
  }
  yield* inGroups(splitter.end(), reader);
  if (reader.emptyLines().length > 0) yield reader.emptyLines();
}

function* inGroups(lines: Iterable<RawLine>, reader: LineReader): Generator<readonly BodyLine[]> {
  let group: BodyLine[] = [];
  for (const raw of lines) {
    const line = reader.read(raw);
    if (line !== null) group.push(line);
    if (group.length < maxGroup) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

type LineReader = ReturnType<typeof lineReader>;

/** Reads lines in their order, and counts the empty ones. */
export function lineReader() {
  let index = 0;
  let empty = 0;
  let firstEmpty = 0;
  return {
    /** Null: the line is empty. */
    read: (line: RawLine): BodyLine | null => {
      const place = index;
      index += 1;
      if (line === null || !isEmpty(line)) return { index: place, ...parsed(line) };
      if (empty === 0) firstEmpty = place;
      empty += 1;
      return null;
    },
    /** The line that did not arrive. */
    tooSlow: (): BodyLine => {
      const detail = "The line did not arrive completely in time. Nothing after it was read.";
      return { index, problem: new Problem("request_timeout", detail) };
    },
    /** The problem of all empty lines, if there are any. */
    emptyLines: (): BodyLine[] => {
      if (empty === 0) return [];
      const detail = `${empty === 1 ? "One line is" : `${empty} lines are`} empty and left out.`;
      return [{ index: firstEmpty, problem: new Problem("malformed_json", detail), emptyLines: empty }];
    },
  };
}

/** Whether a line has nothing but blanks of JSON (RFC 8259 2). */
function isEmpty(line: Buffer): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

function parsed(line: RawLine): { value: unknown } | { problem: Problem } {
  if (line === null) return { problem: new Problem("payload_too_large", `The line is longer than ${maxBodyBytes / 1024} KiB.`) };
  try {
    return { value: parseJson(decode(line)) };
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}

// Splits the bytes of a stream into lines, however the bytes are cut into chunks. Pure, and its memory is one line.

/** The bytes of a line without its line feed; null: it was longer than allowed, and its bytes are gone. */
type RawLine = Buffer | null;

type LineSplitter = {
  /** The lines that these bytes complete, one after the other. Take them all before the next call. */
  push: (chunk: Buffer) => Generator<RawLine>;
  /** The last line, when it has no line feed. */
  end: () => Generator<RawLine>;
};

const lineFeed = 0x0a;
const noBytes = Buffer.alloc(0);

export function lineSplitter(maxBytes: number): LineSplitter {
  let parts: Buffer[] = [];
  let length = 0;
  const append = (part: Buffer): void => {
    length += part.length;
    if (length > maxBytes) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const take = (): RawLine => {
    if (length === 0) return noBytes;
    const line = length > maxBytes ? null : parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  return {
    *push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(lineFeed); at >= 0; at = chunk.indexOf(lineFeed, from)) {
        append(chunk.subarray(from, at));
        from = at + 1;
        yield take();
      }
      append(chunk.subarray(from));
    },
    *end() {
      if (length > 0) yield take();
    },
  };
}
