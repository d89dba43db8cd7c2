// A POST endpoint that is no operation of the contract, because it speaks a protocol of its own: the same checks in the same order
// before it, and web-standard answers behind it.

import type { IncomingHttpHeaders } from "node:http";
import type { Context, Middleware } from "koa";
import { readBody } from "./body.ts";
import { type Authenticator, callerOf, identified } from "./guards.ts";
import type { Limits } from "./limits/limits.ts";
import type { Caller, Principal } from "./operations.ts";
import { closeToForeigners } from "./pages.ts";
import { Problem } from "./problem.ts";

export type EndpointRequest = Readonly<{
  /** A JSON value. */
  body: unknown;
  headers: IncomingHttpHeaders;
  principal: Principal;
  requestId: string;
}>;

export type Endpoint = Readonly<{
  path: string;
  authenticator: Authenticator;
  /** An answer to who may not even try; null for everybody else. */
  turnAway: (caller: Caller) => Response | null;
  /** Throws Problems. The answer is sent whole, so it must have an end. */
  answer: (request: EndpointRequest) => Promise<Response>;
}>;

/** Serves it; other paths are for whoever comes next. */
export function serveEndpoint({ path, authenticator, turnAway, answer }: Endpoint, limits: Limits): Middleware {
  return async (ctx, next) => {
    if (ctx.path !== path) return next();
    ctx.state.endpoint = path;
    closeToForeigners(ctx);
    if (ctx.method !== "POST") throw new Problem("method_not_allowed", `${path} takes POST.`, { headers: { Allow: "POST" } });
    const refusal = turnAway(callerOf(ctx));
    if (refusal) return send(ctx, refusal);
    const principal = await identified(ctx, authenticator, limits);
    const body = await readBody(ctx, ["application/json"]);
    await send(ctx, await answer({ body, headers: ctx.req.headers, principal, requestId: ctx.state.requestId }));
  };
}

async function send(ctx: Context, response: Response): Promise<void> {
  ctx.status = response.status;
  ctx.body = await response.text();
  ctx.remove("Content-Type"); // Koa's guess
  ctx.set(Object.fromEntries(response.headers));
}
