// Middleware that most requests need not pass.

import type { Middleware } from "koa";

/** Runs them in turn, as Koa would, but for paths that begin with `prefix`: those are for whoever comes next, at once. */
export function elsewhere(prefix: string, middleware: readonly Middleware[]): Middleware {
  return (ctx, next) => {
    const from = (index: number): Promise<unknown> => {
      const one = middleware[index];
      return one ? one(ctx, () => from(index + 1)) : next();
    };
    return ctx.path.startsWith(prefix) ? next() : from(0);
  };
}
