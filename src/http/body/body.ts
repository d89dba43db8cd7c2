// Reads a request body and checks it in the order of the contract: content type (415), size (413), syntax (400).

import type { IncomingMessage } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Context } from "koa";
import bodyParser from "koa-bodyparser";
import pLimit from "p-limit";
import type { MediaType, Operation } from "../contract/operation.ts";
import { maxBodyBytes } from "../contract/published.ts";
import type { Principal } from "../operations.ts";
import { Problem } from "../problem.ts";
import type { Receive } from "../server/unfinished-bodies.ts";
import { decode, isObject, memberNames, occurrences, parseJson } from "./json.ts";

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
    if (isBuffered(ctx.req)) return { type, text: decode(takeBody(ctx.req)) };
    // The package keeps a list of chunks, which takes hundreds of times the room of a body whose chunks are a byte each.
    if (isChunked(ctx)) return { type, text: decode(await receive(ctx, principal, () => collectBody(ctx, maxBytes))) };
    await receive(ctx, principal, () => parse(ctx, noNext));
    const { body } = ctx.request;
    return { type, text: Buffer.isBuffer(body) ? decode(body) : "" };
  };
  return {
    readBody: async (...args) => {
      const { type, text } = await readText(...args);
      return type === "application/json" ? parseJson(text) : parseForm(text);
    },
    readPairs: async (...args) => {
      const { type, text } = await readText(...args);
      if (type !== "application/json") return [...parseForm(text)];
      const value = parseJson(text);
      if (!isObject(value)) throw new Problem("validation_failed", "The body must be a JSON object.");
      return memberNames(text).map((name) => [name, value[name]]);
    },
    readParts: async (ctx) => {
      mediaType(ctx, ["multipart/form-data"]);
      const body = await receive(ctx, null, () => collectBody(ctx, maxBytes));
      const boundary = boundaryOf(ctx.get("content-type"));
      requireFewParts(body, boundary);
      try {
        return await inTurn(() => parseParts(body, boundary));
      } catch (cause) {
        throw new Problem("malformed_request", "The body is not a well-formed form.", { cause });
      }
    },
  };
}

/** Forms with files are parsed one after the other, each in its own turn of the event loop: one of 9 MiB takes it 0.05 s. */
const inTurn = pLimit(1);

async function parseParts(body: Buffer, boundary: string): Promise<FormData> {
  await nextTurn();
  return new Response(body as Uint8Array<ArrayBuffer>, {
    headers: { "Content-Type": `multipart/form-data; boundary="${boundary}"` }, // so that it is read as it was checked
  }).formData();
}

/** Throws malformed_request. The fields are counted before they are parsed, because that takes long. */
function parseForm(form: string): URLSearchParams {
  if (occurrences(form, "&") >= maxFields) throw tooManyFields();
  return new URLSearchParams(form);
}

/** Whether the whole body has been received, as a short one mostly is with its head: then there is nothing to wait for. */
function isBuffered(request: IncomingMessage): boolean {
  return request.readableLength > 0 && request.readableLength === declaredLength(request);
}

function takeBody(request: IncomingMessage): Buffer {
  const body = request.read() as Buffer;
  request.resume(); // so that its end is noticed
  return body;
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

function asProblem(error: Error & { type?: string }, maxBytes: number): Error {
  if (error.type === "entity.too.large") return tooLarge(maxBytes, error);
  if (error.type === "request.aborted" || error.type === "request.size.invalid" || error.type === "stream.not.readable")
    return new Problem("malformed_request", "The body ended early.", { cause: error });
  return error;
}

/** Reads the body of an operation that takes a file. Throws unsupported_media_type, payload_too_large or what `receive` throws. */
export type ReadFile = (ctx: Context, operation: Operation, principal: Principal | null) => Promise<Buffer>;

export function fileReader(receive: Receive): ReadFile {
  return async (ctx, { bodyTypes, maxBodyBytes: maxBytes }, principal) => {
    refuseCompressed(ctx);
    const [type = ""] = (ctx.req.headers["content-type"] ?? "").split(";").map((part) => part.trim().toLowerCase());
    if (!(bodyTypes as readonly string[]).includes(type))
      throw new Problem("unsupported_media_type", `Content-Type must be one of ${bodyTypes.join(", ")}.`);
    return receive(ctx, principal, () => collectBody(ctx, maxBytes ?? 0));
  };
}

const firstBytes = 65_536;

/**
 * Reads the body to its end. A declared length above `maxBytes` is refused before any of it is kept. Nothing more is kept when the
 * request has been answered meanwhile and its client goes on sending. Rejects with payload_too_large or malformed_request.
 */
function collectBody({ req, res }: Context, maxBytes: number): Promise<Buffer> {
  const declared = declaredLength(req);
  if (isTooLong(req, maxBytes)) return Promise.reject(tooLarge(maxBytes));
  return new Promise((resolve, reject) => {
    // One buffer that grows: a list of chunks would take a hundred times the room when each of them is a byte.
    let kept: Buffer = Buffer.allocUnsafeSlow(Math.min(declared ?? firstBytes, firstBytes));
    let size = 0;
    const end = (settle: () => void) => {
      req.off("data", keep);
      settle();
      kept = Buffer.alloc(0);
    };
    const keep = (chunk: Buffer) => {
      if (size + chunk.length > maxBytes) return end(() => reject(tooLarge(maxBytes)));
      if (size + chunk.length > kept.length)
        kept = grown(kept, Math.min(Math.max(kept.length * 2, size + chunk.length), declared ?? maxBytes));
      chunk.copy(kept, size);
      size += chunk.length;
    };
    const endedEarly = () => end(() => reject(new Problem("malformed_request", "The body ended early.")));
    req.on("data", keep);
    req.once("end", () => end(() => resolve(kept.subarray(0, size))));
    req.once("error", endedEarly);
    req.once("close", endedEarly);
    res.once("close", endedEarly);
  });
}

/** Whether the request declares a body of more bytes. */
function isTooLong(request: IncomingMessage, maxBytes: number): boolean {
  return (declaredLength(request) ?? 0) > maxBytes;
}

/** Throws unsupported_media_type. */
function refuseCompressed({ req }: Context): void {
  if (req.headers["content-encoding"] !== undefined)
    throw new Problem("unsupported_media_type", "The body must not be compressed: Content-Encoding is not supported.");
}

function tooLarge(maxBytes: number, cause?: Error): Problem {
  return new Problem("payload_too_large", `The body is larger than ${maxBytes / 1024} KiB.`, { cause });
}

function grown(kept: Buffer, size: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(size);
  kept.copy(larger);
  return larger;
}

/** Null: a body of chunks. node:http has refused a length that is no number. */
function declaredLength({ headers }: IncomingMessage): number | null {
  return headers["content-length"] === undefined ? null : Number(headers["content-length"]);
}
