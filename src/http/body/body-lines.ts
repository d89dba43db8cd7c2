// A body of JSON lines (application/x-ndjson), read while it arrives: each line is a JSON text of its own, and is validated as a body would be.

import type { IncomingMessage } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { resultWithin } from "../../async/result-within.ts";
import { maxBodyBytes } from "../contract/published.ts";
import { Problem } from "../problem.ts";
import { exemptFromRequestTimeout } from "../server/exempt-requests.ts";
import { timeouts } from "../server/server-limits.ts";
import { decodeJson } from "./body.ts";
import { lineSplitter, type RawLine } from "./line-splitter.ts";

/** A line: its JSON value, or why it has none. */
export type BodyLine = Readonly<{ value: unknown } | { problem: Problem }>;

/** The lines of a body in groups that have arrived together. Asking for the next group is what reads on from the connection. */
export type BodyLines = AsyncIterable<readonly BodyLine[]>;

export const linesType = "application/x-ndjson";

/** Lines of a group: about as many as are recorded in one statement. */
const maxGroup = 200;

export function isBodyLines(body: unknown): body is BodyLines {
  return typeof body === "object" && body !== null && Symbol.asyncIterator in body;
}

/**
 * Reads the lines of a request. A line above the limit of a body is a line with the problem payload_too_large. When a line takes longer to
 * arrive than a request may, the last line is the problem request_timeout, and nothing more is read.
 */
export function readBodyLines(request: IncomingMessage, lineTimeoutMs = timeouts.request): BodyLines {
  exemptFromRequestTimeout(request);
  return groupsOf(request, lineTimeoutMs);
}

async function* groupsOf(request: IncomingMessage, lineTimeoutMs: number): AsyncGenerator<readonly BodyLine[]> {
  const splitter = lineSplitter(maxBodyBytes);
  const chunks = request[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let waitedMs = 0; // for the present line; what the writing of lines takes does not count
  for (;;) {
    const since = performance.now();
    const chunk = await resultWithin(Math.max(0, lineTimeoutMs - waitedMs), chunks.next());
    waitedMs += performance.now() - since;
    if (chunk === null) return void (yield [{ problem: tooSlow() }]);
    if (chunk.done) return void (yield* inGroups(splitter.end()));
    for (const group of inGroups(splitter.push(chunk.value))) {
      waitedMs = 0;
      await nextTurn(); // lines that are no donations wait for nothing, and other requests would wait for all of them
      yield group;
    }
  }
}

function* inGroups(lines: Iterable<RawLine>): Generator<readonly BodyLine[]> {
  let group: BodyLine[] = [];
  for (const line of lines) {
    group.push(read(line));
    if (group.length < maxGroup) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

function read(line: RawLine): BodyLine {
  if (line === null) return { problem: new Problem("payload_too_large", `The line is longer than ${maxBodyBytes / 1024} KiB.`) };
  try {
    return { value: decodeJson(line) };
  } catch (error) {
    if (error instanceof Problem) return { problem: error };
    throw error;
  }
}

function tooSlow(): Problem {
  return new Problem("request_timeout", "The line did not arrive completely in time. Nothing after it was read.");
}
