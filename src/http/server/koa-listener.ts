// Runs a Koa application without what `koa.callback()` does for any application and this one does not need: listeners on the response and the
// socket of every request, a promise for each middleware, and bodies of kinds that nothing here sends.

import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type Koa from "koa";
import type { Context, Middleware } from "koa";
import type { Listener } from "./overload.ts";

type Run = (ctx: Context) => Promise<unknown>;

const statusesWithoutBody = new Set([204, 205, 304]);

/**
 * The listener of the application's middleware. An error that no middleware catches goes to `ctx.onerror`, and so to the listeners of
 * `error`, of which there must be one.
 */
export function listenerOf(koa: Koa): Listener {
  const run = chain(koa.middleware);
  return async (request, response) => {
    const ctx = koa.createContext(request, response) as Context;
    response.statusCode = 404;
    try {
      await run(ctx);
      respond(ctx);
    } catch (error) {
      ctx.onerror(error as Error);
    }
  };
}

/** One function of all middleware, in their order. */
function chain(middleware: readonly Middleware[]): Run {
  const end: Run = () => Promise.resolve();
  return middleware.reduceRight<Run>((next, one) => (ctx) => one(ctx, () => next(ctx)), end);
}

/** Sends text, bytes, a stream or nothing. Koa has set the headers when the body was assigned. */
function respond(ctx: Context): void {
  const { res } = ctx;
  if (!ctx.writable) return void res.end();
  if (statusesWithoutBody.has(res.statusCode)) ctx.body = null; // removes the headers that describe a body
  const body = ctx.body as string | Buffer | Readable | null | undefined;
  if (ctx.method === "HEAD" || body === null || body === undefined) return void res.end();
  // The body that still arrives is acted upon: what is wrong with its rest must not be refused as if nothing had been done.
  if (body instanceof Readable && !ctx.req.complete) res.flushHeaders();
  if (body instanceof Readable) pipeBody(body, res, (error) => ctx.onerror(error));
  else if (Buffer.isBuffer(body) && body.length > pieceBytes) pipeBody(Readable.from(piecesOf(body)), res, () => {});
  else res.end(body);
}

const pieceBytes = 65_536;

/** A large file is sent in pieces, as its client reads: it is in memory once, and must not count for each of its readers. */
function* piecesOf(bytes: Buffer): Generator<Buffer> {
  for (let from = 0; from < bytes.length; from += pieceBytes) yield bytes.subarray(from, from + pieceBytes);
}

// Sends a stream as the body of an answer. `pipeline` of node:stream does the same, but keeps 10 kB for it as long as the answer lasts, and
// streams of events last for hours.

/**
 * Reads no faster than the client does. When one of the two ends early, the other is destroyed; `onFailure` is called at most once, also
 * for a client that disconnects.
 */
export function pipeBody(body: Readable, response: ServerResponse, onFailure: (error: Error) => void): void {
  let hasFailed = false;
  const fail = (error: Error): void => {
    if (!hasFailed) onFailure(error);
    hasFailed = true;
  };
  body.on("data", (chunk: Buffer) => {
    if (response.destroyed || response.write(chunk)) return;
    body.pause();
    response.once("drain", () => body.resume());
  });
  body.once("end", () => response.end());
  body.on("error", fail);
  body.once("close", () => {
    if (!body.readableEnded) response.destroy();
  });
  response.on("error", fail);
  response.once("close", () => {
    body.destroy();
    if (!response.writableFinished) fail(new Error("the connection was closed before the end of the answer"));
  });
}
