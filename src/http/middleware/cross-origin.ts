// Any page may read answers of the API, because its credentials are never cookies. Our own pages and endpoints must not be read by others.

import type { Context } from "koa";

/** Removes the headers that let scripts of other origins read the answer. */
export function denyCrossOriginReads(ctx: Context): void {
  ctx.remove("Access-Control-Allow-Origin");
  ctx.remove("Access-Control-Expose-Headers");
}
