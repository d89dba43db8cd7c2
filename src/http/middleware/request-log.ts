// Middleware: one log line for each request.

import type { Middleware } from "koa";
import type { Logger } from "pino";
import type { Operation } from "../contract/contract.ts";

/** Called for each answer with the operation of the contract, the status and the duration in milliseconds. */
export type OnAnswer = (operation: string | undefined, status: number, ms: number) => void;

/** Logs one line for each request, at level debug for a static file and a health check that went well, never with a body, a query, a header or a path that could contain a secret. */
export function logRequests(log: Logger, onAnswer: OnAnswer = () => {}): Middleware {
  const lines = requestLines(log);
  return async (ctx, next) => {
    const start = performance.now();
    await next();
    const operation = ctx.state.operation as Operation | undefined;
    const ms = performance.now() - start;
    onAnswer(operation?.id, ctx.status, ms);
    const isRoutine = ctx.state.isFile || ctx.state.isProbe;
    const level = isRoutine && ctx.status < 400 ? "debug" : "info";
    lines[level]({
      requestId: ctx.state.requestId,
      method: ctx.method,
      path: operation?.path ?? ctx.state.page ?? ctx.state.endpoint ?? "(none)",
      operation: operation?.id,
      status: ctx.status,
      ms: Math.round(ms * 10) / 10,
    });
  };
}

/** Redaction is off for these lines: all their members are named above and none can be a secret, and redacting costs much more than the line. */
function requestLines(log: Logger): Logger {
  return log.child({}, { redact: [] });
}
