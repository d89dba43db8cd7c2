// Combines middleware that requests to a prefix skip.

import type { Middleware } from "koa";

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
