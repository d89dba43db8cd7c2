// /livez: the process runs. /readyz: it can take requests. For supervisors, not part of the contract.

import type { Context, Middleware } from "koa";

/** Answers the two probes; `ready` says what is missing, or null. */
export function health(ready: () => Promise<string | null>): Middleware {
  const answer = async (ctx: Context) => {
    const missing = ctx.path === "/readyz" ? await ready() : null;
    ctx.status = missing === null ? 200 : 503;
    ctx.body = { status: missing ?? "ok" };
  };
  return (ctx, next) => (ctx.path === "/livez" || ctx.path === "/readyz" ? answer(ctx) : next());
}
