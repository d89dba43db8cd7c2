// Middleware: answers every thrown error as a problem, an OAuth error, or a page.

import type { Context, Middleware } from "koa";
import type { Logger } from "pino";
import { isCommitUnknown, isUnavailable, noteFullDisk } from "../db/failures.ts";
import { describeFailure } from "../telemetry/describe-failure.ts";
import type { Operation } from "./contract/operation.ts";
import { asOAuthError, OAuthError } from "./oauth-error.ts";
import { Problem, problemBody, problems } from "./problem.ts";

/** Renders the problems of some requests in another form, such as a page. */
export type ProblemRenderer = Readonly<{ applies: (ctx: Context) => boolean; render: (ctx: Context, problem: Problem) => void }>;

/**
 * Answers every thrown error as a problem (RFC 9457), unless `special` renders it. Internal details are not sent to the client: the failure
 * behind an error of the server is left in `ctx.state.failure`, for the log line of the request.
 */
export function renderProblems(special?: ProblemRenderer): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { operation } = ctx.state as { operation?: Operation };
      if (!(error instanceof OAuthError)) ctx.state.failure = failureBehind(error);
      if (special?.applies(ctx)) special.render(ctx, toProblem(error));
      else if (error instanceof OAuthError) renderOAuth(ctx, error);
      else if (operation?.oauth) renderOAuth(ctx, asOAuthError(toProblem(error)));
      else render(ctx, toProblem(error));
    }
  };
}

/** The problem of an error in a call without a log line of its own: the failure behind it is logged here. */
export function asProblem(error: unknown, requestId: string, log: Logger): Problem {
  const failure = failureBehind(error);
  if (failure !== null) log.error({ requestId, error: describeFailure(failure) }, "request failed");
  return toProblem(error);
}

/** Why the server failed; null when the client did, and when the server refused on purpose, such as because of overload. */
function failureBehind(error: unknown): unknown {
  if (error instanceof Problem) {
    if (problems[error.code].status < 500 || (error.code === "unavailable" && !error.cause)) return null;
    return error.cause ?? error;
  }
  noteFullDisk(error); // such as that of the journal of erasures
  return error;
}

function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (isCommitUnknown(error))
    return new Problem(
      "internal_error",
      "The database's answer was lost: it is unknown whether anything was changed. Look before you repeat it.",
    );
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
 * Writes a path as a URI reference (RFC 9457 3.1.5): characters that no URI may contain are escaped, and so is a `%` that begins no escape.
 * Two slashes at its beginning would begin a host (RFC 3986 4.2).
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

/** Whether `Accept` names JSON and nothing else. What has the weight 0 is not accepted (RFC 9110 12.4.2). */
export function namesOnlyJson(accept: string): boolean {
  const types = accept.split(",").filter((part) => !/;\s*q\s*=\s*0(?:\.0*)?\s*(?:;|$)/i.test(part));
  return types.length > 0 && types.every((type) => type.split(";")[0]?.trim().toLowerCase() === "application/json");
}
