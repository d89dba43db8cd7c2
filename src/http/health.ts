// Answers /livez (the process runs) and /readyz (it can take requests) for supervisors. They are not part of the contract.

import type { Context, Middleware } from "koa";

/** `ready` returns what is missing, or null when the server is ready. */
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
