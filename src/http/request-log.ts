// Middleware: one log line for each request.

import type { Middleware } from "koa";
import type { Logger } from "pino";
import type { Operation } from "./contract.ts";

/** Told of each answer: which operation of the contract, what status, how many milliseconds it took. */
export type OnAnswer = (operation: string | undefined, status: number, ms: number) => void;

/** One line per request: never a body, a query, a header or a path that could hold a secret. */
export function logRequests(log: Logger, onAnswer: OnAnswer = () => {}): Middleware {
  const lines = requestLines(log);
  return async (ctx, next) => {
    const start = performance.now();
    await next();
    const operation = ctx.state.operation as Operation | undefined;
    const ms = performance.now() - start;
    onAnswer(operation?.id, ctx.status, ms);
    lines.info({
      requestId: ctx.state.requestId,
      method: ctx.method,
      path: operation?.path ?? ctx.state.page ?? ctx.state.endpoint ?? "(none)",
      operation: operation?.id,
      status: ctx.status,
      ms: Math.round(ms * 10) / 10,
    });
  };
}

/** All members of these lines are named above and none can be a secret; looking for one would cost many times the line itself. */
export function requestLines(log: Logger): Logger {
  return log.child({}, { redact: [] });
}
