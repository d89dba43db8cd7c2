// What surrounds every request: its id, the headers of every answer, problems for what was thrown, one log line.

import type { Context, Middleware } from "koa";
import type { Logger } from "pino";
import { describeFailure, isUnavailable } from "../db/failures.ts";
import { newId } from "../db/ids.ts";
import type { Operation } from "./contract.ts";
import { asOAuthError, OAuthError } from "./oauth-error.ts";
import { isPage, renderErrorPage } from "../ui/serve-pages.ts";
import { Problem, problemBody, problems } from "./problem.ts";

const wellFormedId = /^[\w.:=+/@-]{1,128}$/;

/** Gives every request an id and every answer its common headers; a caller's well-formed X-Request-Id is echoed. */
export function identify(): Middleware {
  return (ctx, next) => {
    ctx.state.requestId = requestIdOf(ctx.get("X-Request-Id"));
    ctx.res.setHeader("X-Request-Id", ctx.state.requestId); // ctx.set makes several objects for each header
    ctx.res.setHeaders(commonHeaders);
    return next();
  };
}

/** The id that was sent, if it is well-formed, or a new one. */
export function requestIdOf(sent: string): string {
  return wellFormedId.test(sent) ? sent : newId();
}

/** Headers of every answer, beside its request's id. */
export const commonHeaders: Map<string, string> = new Map([
  ["Cache-Control", "no-store"],
  ["Access-Control-Allow-Origin", "*"],
  [
    "Access-Control-Expose-Headers",
    "X-Request-Id, Location, Idempotent-Replayed, Retry-After, RateLimit-Policy, RateLimit, Allow, WWW-Authenticate, Content-Disposition, ETag, Deprecation, Sunset, Link",
  ],
  ["X-Content-Type-Options", "nosniff"],
]);

/** Turns whatever is thrown into a problem (RFC 9457). Nothing internal reaches the caller. */
export function renderProblems(log: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { operation } = ctx.state as { operation?: Operation };
      if (isPage(ctx)) renderErrorPage(ctx, asProblem(error, ctx.state.requestId, log));
      else if (error instanceof OAuthError) renderOAuth(ctx, error);
      else if (operation?.oauth) renderOAuth(ctx, asOAuthError(asProblem(error, ctx.state.requestId, log)));
      else render(ctx, asProblem(error, ctx.state.requestId, log));
    }
  };
}

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

/** What may be said of a failure; what may not goes to the log. */
export function asProblem(error: unknown, requestId: string, log: Logger): Problem {
  if (error instanceof Problem) {
    // What is refused because there is too much of it has no cause, and is told by the request's own line.
    const level = error.code === "unavailable" && !error.cause ? "debug" : "error";
    if (problems[error.code].status >= 500) log[level]({ requestId, error: describeFailure(error.cause ?? error) }, error.message);
    return error;
  }
  log.error({ requestId, error: describeFailure(error) }, "request failed");
  if (isUnavailable(error))
    return new Problem("unavailable", "The database can't be reached, or has too much to do; nothing was recorded.");
  return new Problem("internal_error", "Something went wrong on our side.");
}

function render(ctx: Context, problem: Problem): void {
  const headers = { ...(problem.code === "unavailable" && { "Retry-After": "1" }), ...problem.extras.headers };
  ctx.status = problems[problem.code].status;
  ctx.set(headers);
  ctx.type = namesOnlyJson(ctx.get("Accept")) ? "application/json" : "application/problem+json";
  ctx.body = JSON.stringify(problemBody(problem, instanceOf(ctx.path), ctx.state.requestId));
}

/**
 * A path as a URI reference (RFC 9457 3.1.5): what no URI holds is escaped, and so is a `%` that escapes nothing. What follows two
 * slashes at its beginning would be a host (RFC 3986 4.2).
 */
export function instanceOf(path: string): string {
  const escaped = encodeURI(path).replace(/%25(?=[\da-f]{2})/gi, "%");
  return escaped.startsWith("//") ? `/.${escaped}` : escaped;
}

function renderOAuth(ctx: Context, { code, status, headers, message }: OAuthError): void {
  ctx.status = status;
  ctx.set(headers);
  ctx.type = "application/json";
  ctx.body = JSON.stringify({ error: code, error_description: message });
}

/** Whether `Accept` names JSON and nothing else. */
export function namesOnlyJson(accept: string): boolean {
  const types = accept.split(",").map((part) => part.split(";")[0]?.trim().toLowerCase());
  return types.every((type) => type === "application/json");
}
