// From the bytes of a request body to a value, in the order of the contract: content type (415), size (413), form (400).

import type { Context } from "koa";
import bodyParser from "koa-bodyparser";
import type { Principal } from "./operations.ts";
import { Problem } from "./problem.ts";
import { maxBodyBytes, maxNesting } from "./published.ts";
import type { Receive } from "./unfinished-bodies.ts";

// koa-bodyparser reads and bounds the body, but its JSON mode would turn invalid UTF-8 into U+FFFD and take it for valid: without an
// encoding it hands out the bytes as they came, and the strict decoding is ours.
const options = {
  enableTypes: ["text"],
  extendTypes: { text: ["application/json", "application/x-www-form-urlencoded"] },
  textLimit: `${maxBodyBytes}b`,
  encoding: null, // raw-body, which reads for the package, knows it; the package's type does not
  onerror: (error: Error) => {
    throw asProblem(error);
  },
};
const parse = bodyParser(options);
const nothing = async () => {};

const utf8 = new TextDecoder("utf-8", { fatal: true });

export type MediaType = "application/json" | "application/x-www-form-urlencoded";

/**
 * Reads a body of one of the accepted types: a JSON value (RFC 8259), or the pairs of a form. `principal`: who sends it, if that is known.
 * Throws unsupported_media_type, payload_too_large, malformed_json or what `receive` throws.
 */
export type ReadBody = (ctx: Context, accepted: readonly MediaType[], principal?: Principal | null) => Promise<unknown>;

export type Pairs = [name: string, value: unknown][];

/** The same for a body of OAuth, as names and values. A repeated name stands there repeatedly, in JSON with the value that was read last. */
export type ReadPairs = (ctx: Context, accepted: readonly MediaType[], principal?: Principal | null) => Promise<Pairs>;

export function bodyReader(receive: Receive): { readBody: ReadBody; readPairs: ReadPairs } {
  const readText = async (ctx: Context, accepted: readonly MediaType[], principal: Principal | null = null) => {
    const type = mediaType(ctx, accepted);
    await receive(ctx, principal, parse(ctx, nothing));
    const { body } = ctx.request;
    return { type, text: Buffer.isBuffer(body) ? decode(body) : "" };
  };
  return {
    readBody: async (...asked) => {
      const { type, text } = await readText(...asked);
      return type === "application/json" ? parseJson(text) : new URLSearchParams(text);
    },
    readPairs: async (...asked) => {
      const { type, text } = await readText(...asked);
      if (type !== "application/json") return [...new URLSearchParams(text)];
      const value = Object(parseJson(text)) as Record<string, unknown>;
      return memberNames(text).map((name) => [name, value[name]]);
    },
  };
}

/** Parses JSON text: nesting over 32 is refused, NUL and lone surrogates become U+FFFD before anything looks at them. */
export function parseJson(text: string): unknown {
  if (nestsTooDeep(text)) throw new Problem("malformed_json", `The body nests deeper than ${maxNesting} levels.`);
  try {
    const value: unknown = JSON.parse(text);
    return mayHoldBadText(text) ? wellFormed(value) : value;
  } catch (cause) {
    throw new Problem("malformed_json", text.trim() === "" ? "The body is empty." : "The body is not well-formed JSON.", { cause });
  }
}

/** Names of the members of the outermost object, as often as they stand in JSON text that was parsed: JSON.parse keeps one of each. */
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

/** Text as Postgres can keep it: NUL and lone surrogates become U+FFFD. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\uFFFD");
}

function mediaType(ctx: Context, accepted: readonly MediaType[]): MediaType {
  const { "content-type": sent = "", "content-encoding": encoding } = ctx.req.headers;
  if (encoding !== undefined)
    throw new Problem("unsupported_media_type", "The body must not be compressed: Content-Encoding is not supported.");
  const [name = "", ...parameters] = sent.split(";").map((part) => part.trim().toLowerCase());
  const type = accepted.find((known) => known === name);
  const charset = parameters.find((parameter) => /^charset\s*=/.test(parameter));
  if (!type || (charset !== undefined && !/^charset\s*=\s*"?utf-?8"?$/.test(charset)))
    throw new Problem("unsupported_media_type", `Content-Type must be ${accepted.join(" or ")} (UTF-8).`);
  return type;
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new Problem("malformed_json", "The body is not valid UTF-8.", { cause });
  }
}

/** Whether arrays and objects nest over the limit; brackets inside strings don't count. */
function nestsTooDeep(text: string): boolean {
  if (brackets(text) <= maxNesting) return false;
  let depth = 0;
  let quoted = false;
  // By character: a regular expression takes a hundred times as long for a body of quotes alone.
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

/** How many open, those inside strings included: an ordinary body has so few that they can't nest too deep. */
function brackets(text: string): number {
  return occurrences(text, "{") + occurrences(text, "[");
}

function occurrences(text: string, letter: string): number {
  let count = 0;
  for (let at = text.indexOf(letter); at >= 0; at = text.indexOf(letter, at + 1)) count += 1;
  return count;
}

/** In valid UTF-8 only an escape can name NUL or a lone surrogate. */
function mayHoldBadText(text: string): boolean {
  return text.includes("\\u");
}

function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return storable(value);
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [storable(name), wellFormed(member)]));
}

function asProblem(error: Error & { type?: string }): Error {
  if (error.type === "entity.too.large")
    return new Problem("payload_too_large", `The body is larger than ${maxBodyBytes / 1024} KiB.`, { cause: error });
  if (error.type === "request.aborted" || error.type === "request.size.invalid" || error.type === "stream.not.readable")
    return new Problem("malformed_request", "The body ended early.", { cause: error });
  return error;
}
