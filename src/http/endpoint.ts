// A POST endpoint that is no operation of the contract, because it speaks a protocol of its own: the same checks in the same order
// before it, and web-standard answers behind it.

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { Context, Middleware } from "koa";
import type { ReadBody } from "./body.ts";
import { denyCrossOriginReads } from "./cross-origin.ts";
import { type Authenticator, bucketOf, callerOf, identified } from "./guards.ts";
import type { Caller, Principal } from "./operations.ts";
import { Problem } from "./problem.ts";
import type { LimitHeaders, Limits } from "./rate-limits/rate-limits.ts";

export type EndpointRequest = Readonly<{
  /** A JSON value. */
  body: unknown;
  headers: IncomingHttpHeaders;
  principal: Principal;
  requestId: string;
  /** What the answer says of `limit`, where it was spent beforehand. */
  spent: LimitHeaders | null;
}>;

export type Endpoint = Readonly<{
  path: string;
  authenticator: Authenticator;
  /** The rate limit that is spent before a body is waited for: which one it counts against can stand in the body alone. */
  limit: string;
  /** An answer to who may not even try; null for everybody else. */
  turnAway: (caller: Caller) => Response | null;
  /** Throws Problems. The answer is sent whole, so it must have an end. */
  answer: (request: EndpointRequest) => Promise<Response>;
}>;

export type EndpointParts = Readonly<{ limits: Limits; readBody: ReadBody }>;

/** Serves it; other paths are for whoever comes next. */
export function serveEndpoint({ path, authenticator, turnAway, limit, answer }: Endpoint, { limits, readBody }: EndpointParts): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== path) return next();
    ctx.state.endpoint = path;
    denyCrossOriginReads(ctx);
    if (ctx.method !== "POST") throw new Problem("method_not_allowed", `${path} takes POST.`, { headers: { Allow: "POST" } });
    const refusal = turnAway(callerOf(ctx));
    if (refusal) return send(ctx, refusal);
    const principal = await identified(ctx, authenticator, limits);
    const spent = (await isHere(ctx.req)) ? null : await limits.spend(limit, bucketOf(principal));
    const body = await readBody(ctx, ["application/json"], principal);
    await send(ctx, await answer({ body, headers: ctx.req.headers, principal, requestId: ctx.state.requestId, spent }));
  };
}

/** Whether the body has come with the head: node:http reads on in the same turn of the event loop. */
async function isHere(request: IncomingMessage): Promise<boolean> {
  if (!request.complete) await setImmediate();
  return request.complete;
}

async function send(ctx: Context, response: Response): Promise<void> {
  ctx.status = response.status;
  ctx.body = await response.text();
  ctx.remove("Content-Type"); // Koa's guess
  ctx.set(Object.fromEntries(response.headers));
}
