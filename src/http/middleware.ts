// Middleware of all requests: their ids, the headers that all answers have, and the probes of supervisors.

import type { Context, Middleware } from "koa";
import { newId } from "../db/ids.ts";

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

/**
 * Removes the headers that let scripts of other origins read the answer. Any page may read answers of the API, because its credentials are never
 * cookies. Our own pages and endpoints must not be read by others.
 */
export function denyCrossOriginReads(ctx: Context): void {
  ctx.remove("Access-Control-Allow-Origin");
  ctx.remove("Access-Control-Expose-Headers");
}

/** Runs the middleware in turn, as Koa does. Paths that begin with `prefix` go to the next middleware at once. */
export function skipPrefix(prefix: string, middleware: readonly Middleware[]): Middleware {
  return (ctx, next) => {
    const from = (index: number): Promise<unknown> => {
      const one = middleware[index];
      return one ? one(ctx, () => from(index + 1)) : next();
    };
    return ctx.path.startsWith(prefix) ? next() : from(0);
  };
}

/**
 * Answers /livez (the process runs) and /readyz (it can take requests) for supervisors. They are not part of the contract. `ready` returns what is missing, or null when the server is
 * ready.
 */
export function health(ready: () => Promise<string | null>): Middleware {
  const answer = async (ctx: Context) => {
    const missing = ctx.path === "/readyz" ? await ready() : null;
    ctx.state.endpoint = ctx.path;
    ctx.state.isProbe = true;
    ctx.status = missing === null ? 200 : 503;
    ctx.type = "application/json";
    ctx.body = JSON.stringify({ status: missing ?? "ok" });
  };
  return (ctx, next) => (ctx.path === "/livez" || ctx.path === "/readyz" ? answer(ctx) : next());
}
