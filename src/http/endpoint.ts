// Serves a POST endpoint with a protocol of its own (MCP), which is no operation of the contract: the checks before it are the same, in the
// same order.

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { Context, Middleware } from "koa";
import { actAs } from "../audit/actor.ts";
import type { ReadBody } from "./body/body.ts";
import { type Authenticator, actorOf, authenticate, bucketOf, callerOf } from "./guards.ts";
import { denyCrossOriginReads } from "./middleware.ts";
import type { Caller, Principal } from "./operations.ts";
import { methodNotAllowed } from "./problem.ts";
import type { LimitHeaders, Limits } from "./rate-limits/rate-limits.ts";

export type EndpointRequest = Readonly<{
  /** A JSON value. */
  body: unknown;
  headers: IncomingHttpHeaders;
  principal: Principal;
  requestId: string;
  /** Headers about `limit`, when a token of it was spent before the body arrived; otherwise null. */
  spent: LimitHeaders | null;
}>;

export type Endpoint = Readonly<{
  path: string;
  authenticator: Authenticator;
  /** The rate limit that is spent when a body has to be waited for, because only the body can tell which limit applies. */
  limit: string;
  /** The answer to a caller that is not allowed to use the endpoint; null for all others. */
  rejectCaller: (caller: Caller) => Response | null;
  /** Throws Problems. */
  answer: (request: EndpointRequest) => Promise<EndpointAnswer>;
}>;

export type EndpointAnswer = Readonly<{ status: number; headers: Readonly<Record<string, string>>; body: Buffer }>;

/** Reads the response to its end, so it must end. */
export async function readAnswer(response: Response): Promise<EndpointAnswer> {
  return { status: response.status, headers: Object.fromEntries(response.headers), body: Buffer.from(await response.arrayBuffer()) };
}

/** Serves the endpoint, and passes other paths to the next middleware. */
export function serveEndpoint(endpoint: Endpoint, limits: Limits, readBody: ReadBody): Middleware {
  const { path, authenticator, rejectCaller, limit, answer } = endpoint;
  const serve = async (ctx: Context): Promise<void> => {
    ctx.state.endpoint = path;
    denyCrossOriginReads(ctx);
    if (ctx.method !== "POST") throw methodNotAllowed(path, "POST");
    const refusal = rejectCaller(callerOf(ctx));
    if (refusal) return send(ctx, await readAnswer(refusal));
    const principal = await authenticate(ctx, authenticator, limits);
    ctx.state.principal = principal; // for the log
    const { streamerId } = principal;
    const spent = (await hasArrived(ctx.req)) ? null : await limits.spend(limit, bucketOf(principal), { streamerId });
    const body = await readBody(ctx, ["application/json"], principal);
    const request = { body, headers: ctx.req.headers, principal, requestId: ctx.state.requestId, spent };
    send(ctx, await actAs({ ...actorOf(ctx, principal), via: path }, () => answer(request)));
  };
  return (ctx, next) => (ctx.path === path ? serve(ctx) : next());
}

/** Whether the body arrived together with the head, which node:http notices in the same turn of the event loop. */
async function hasArrived(request: IncomingMessage): Promise<boolean> {
  if (!request.complete) await setImmediate();
  return request.complete;
}

function send(ctx: Context, { status, headers, body }: EndpointAnswer): void {
  ctx.status = status;
  ctx.body = body;
  ctx.remove("Content-Type"); // Koa's guess
  ctx.set(headers);
}
