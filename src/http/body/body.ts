// Reads a request body and checks it in the order of the contract: content type (415), size (413), syntax (400).

import type { Context } from "koa";
import bodyParser from "koa-bodyparser";
import { maxBodyBytes, maxNesting } from "../contract/published.ts";
import type { Principal } from "../operations.ts";
import { Problem } from "../problem.ts";
import type { Receive } from "../server/unfinished-bodies.ts";
import { collectBody, isTooLong, refuseCompressed, tooLarge } from "./body-bytes.ts";

// koa-bodyparser reads the body and limits its size, but in its JSON mode it replaces invalid UTF-8 by U+FFFD. Without an encoding it returns
// the bytes unchanged, and this file decodes them strictly.
const optionsFor = (maxBytes: number) => ({
  enableTypes: ["text"],
  extendTypes: { text: ["application/json", "application/x-www-form-urlencoded"] },
  textLimit: `${maxBytes}b`,
  encoding: null, // an option of raw-body, which the package uses; the package's own types lack it
  onerror: (error: Error) => {
    throw asProblem(error, maxBytes);
  },
});
const noNext = async () => {};

const utf8 = new TextDecoder("utf-8", { fatal: true });

export type MediaType = "application/json" | "application/x-www-form-urlencoded" | "application/x-ndjson" | "multipart/form-data";

/**
 * Reads a body of one of the accepted types: a JSON value (RFC 8259), or the pairs of a form. `principal`: the sender, when it is known.
 * Throws unsupported_media_type, payload_too_large, malformed_json or what `receive` throws.
 */
export type ReadBody = (ctx: Context, accepted: readonly MediaType[], principal?: Principal | null) => Promise<unknown>;

export type Pairs = [name: string, value: unknown][];

/** Reads a body of OAuth as names and values. A repeated name is repeated in the result; in JSON each time with the last value. */
export type ReadPairs = (ctx: Context, accepted: readonly MediaType[], principal?: Principal | null) => Promise<Pairs>;

/** Reads a form with files (RFC 7578). Throws unsupported_media_type, payload_too_large, malformed_request or what `receive` throws. */
export type ReadParts = (ctx: Context) => Promise<FormData>;

/** `maxBytes`: above it a body is refused with payload_too_large. */
export function bodyReader(receive: Receive, maxBytes = maxBodyBytes): { readBody: ReadBody; readPairs: ReadPairs; readParts: ReadParts } {
  const parse = bodyParser(optionsFor(maxBytes));
  const readText = async (ctx: Context, accepted: readonly MediaType[], principal: Principal | null = null) => {
    const type = mediaType(ctx, accepted);
    if (isTooLong(ctx.req, maxBytes)) throw tooLarge(maxBytes); // the package reads the length as a number of 32 bits
    // The package keeps a list of chunks, which takes hundreds of times the room of a body whose chunks are a byte each.
    if (isChunked(ctx)) return { type, text: decode(await receive(ctx, principal, () => collectBody(ctx, maxBytes))) };
    await receive(ctx, principal, () => parse(ctx, noNext));
    const { body } = ctx.request;
    return { type, text: Buffer.isBuffer(body) ? decode(body) : "" };
  };
  return {
    readBody: async (...args) => {
      const { type, text } = await readText(...args);
      if (type === "application/json") return parseJson(text);
      requireFewFields(text);
      return new URLSearchParams(text);
    },
    readPairs: async (...args) => {
      const { type, text } = await readText(...args);
      if (type !== "application/json") return [...new URLSearchParams(text)];
      const value = Object(parseJson(text)) as Record<string, unknown>;
      return memberNames(text).map((name) => [name, value[name]]);
    },
    readParts: async (ctx) => {
      mediaType(ctx, ["multipart/form-data"]);
      const body = await receive(ctx, null, () => collectBody(ctx, maxBytes));
      const boundary = boundaryOf(ctx.get("content-type"));
      requireFewParts(body, boundary);
      try {
        return await new Response(body as Uint8Array<ArrayBuffer>, {
          headers: { "Content-Type": `multipart/form-data; boundary="${boundary}"` }, // so that it is read as it was checked
        }).formData();
      } catch (cause) {
        throw new Problem("malformed_request", "The body is not a well-formed form.", { cause });
      }
    },
  };
}

/** Throws malformed_request. The fields are counted before they are parsed, because that takes long. */
function requireFewFields(form: string): void {
  let fields = 1;
  for (let at = form.indexOf("&"); at >= 0; at = form.indexOf("&", at + 1)) {
    fields += 1;
    if (fields > maxFields) throw tooManyFields();
  }
}

function isChunked({ req }: Context): boolean {
  return req.headers["transfer-encoding"] !== undefined;
}

/** Fields of a form, and parts of a form with files: parsing takes longer than in proportion to them. */
export const maxFields = 1_000;

/** Names and headers of all parts of a form with files; their contents alone may be larger. */
const maxPartHeaders = maxBodyBytes;

/** The boundary of a form with files (RFC 2046 5.1.1). Throws malformed_request. */
function boundaryOf(contentType: string): string {
  const [, quoted, bare] = /;\s*boundary=(?:"([^"]*)"|([^;\s]*))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare ?? "";
  if (!/^[\w'()+,./:=?-]{1,70}$/.test(boundary))
    throw new Problem("malformed_request", "The form has no usable boundary (RFC 2046 5.1.1).");
  return boundary;
}

/** A delimiter and the headers stand before each part, and a delimiter after the last (RFC 2046 5.1.1). Both take long to be parsed. */
function requireFewParts(body: Buffer, boundary: string): void {
  const delimiter = `--${boundary}`;
  let delimiters = 0;
  let headerBytes = 0;
  for (let at = body.indexOf(delimiter); at >= 0; ) {
    delimiters += 1;
    if (delimiters > maxFields + 1) throw tooManyFields();
    const next = body.indexOf(delimiter, at + delimiter.length);
    const part = body.subarray(at, next < 0 ? body.length : next);
    const blankLine = part.indexOf("\r\n\r\n");
    headerBytes += blankLine < 0 ? part.length : blankLine;
    if (headerBytes > maxPartHeaders)
      throw new Problem("malformed_request", `The names and headers of the form's parts are larger than ${maxPartHeaders / 1024} KiB.`);
    at = next;
  }
}

export function tooManyFields(): Problem {
  return new Problem("malformed_request", `The form has more than ${maxFields} fields.`);
}

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

/** The media type of the body. Throws unsupported_media_type when it is none of these, or compressed, or not in UTF-8. */
export function mediaType(ctx: Context, accepted: readonly MediaType[]): MediaType {
  refuseCompressed(ctx);
  const { "content-type": sent = "" } = ctx.req.headers;
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

function asProblem(error: Error & { type?: string }, maxBytes: number): Error {
  if (error.type === "entity.too.large") return tooLarge(maxBytes, error);
  if (error.type === "request.aborted" || error.type === "request.size.invalid" || error.type === "stream.not.readable")
    return new Problem("malformed_request", "The body ended early.", { cause: error });
  return error;
}
