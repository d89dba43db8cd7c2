// Any page may read the API's answers, because its credentials are never cookies. Pages and endpoints for one origin must not be read.

import type { Context } from "koa";

/** Takes the headers back that let scripts of other origins read the answer. */
export function denyCrossOriginReads(ctx: Context): void {
  ctx.remove("Access-Control-Allow-Origin");
  ctx.remove("Access-Control-Expose-Headers");
}
