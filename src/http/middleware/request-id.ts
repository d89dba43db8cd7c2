// Middleware: gives each request an id, and sets the headers that all answers have.

import type { Middleware } from "koa";
import { newId } from "../../db/ids.ts";

const wellFormedId = /^[\w.:=+/@-]{1,128}$/;

/** Gives every request an id and every answer its common headers; a caller's well-formed X-Request-Id is echoed. */
export function identify(): Middleware {
  return (ctx, next) => {
    ctx.state.requestId = requestIdOf(ctx.get("X-Request-Id"));
    ctx.res.setHeader("X-Request-Id", ctx.state.requestId); // ctx.set makes several objects for each header
    ctx.res.setHeaders(commonHeaders);
    return next();
  };
}

/** The id that the client sent, when it is well-formed, otherwise a new one. */
export function requestIdOf(sent: string): string {
  return wellFormedId.test(sent) ? sent : newId();
}

/** Headers of every answer, except the id of its request. */
export const commonHeaders: Map<string, string> = new Map([
  ["Cache-Control", "no-store"],
  ["Access-Control-Allow-Origin", "*"],
  [
    "Access-Control-Expose-Headers",
    "X-Request-Id, Location, Idempotent-Replayed, Import-Id, Retry-After, RateLimit-Policy, RateLimit, Allow, WWW-Authenticate, Content-Disposition, ETag, Deprecation, Sunset, Link",
  ],
  ["X-Content-Type-Options", "nosniff"],
]);
