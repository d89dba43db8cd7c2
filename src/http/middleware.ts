// Middleware of all requests: their ids, the headers that all answers have, their lines in the log and spans, the answers to thrown errors, and
// the probes of supervisors.

import { METHODS } from "node:http";
import type { Context, Middleware } from "koa";
import type { Logger } from "pino";
import { isCommitUnknown, isLockConflict, isUnavailable, noteFullDisk } from "../db/failures.ts";
import { newId } from "../db/ids.ts";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { readTraceparent, type Tracing, withinSpan } from "../telemetry/tracing.ts";
import type { Operation } from "./contract/operation.ts";
import type { Principal, TransportHeaders } from "./operations.ts";
import { asOAuthError, internalError, locked, OAuthError, Problem, problemBody, problems } from "./problem.ts";

const wellFormedId = /^[\w.:=+/@-]{1,128}$/;

/** Gives every request an id and every answer its common headers; a caller's well-formed X-Request-Id is echoed. */
export function identify(): Middleware {
  return (ctx, next) => {
    ctx.state.requestId = requestIdOf(String(ctx.req.headers["x-request-id"] ?? ""));
    ctx.res.setHeader("X-Request-Id", ctx.state.requestId);
    setHeaders(ctx, commonHeaders);
    return next();
  };
}

/** The id that the client sent, when it is well-formed, otherwise a new one. */
export function requestIdOf(sent: string): string {
  return wellFormedId.test(sent) ? sent : newId();
}

/** Headers of every answer, except the id of its request. */
export const commonHeaders = {
  "Cache-Control": "no-store",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers":
    "X-Request-Id, Location, Idempotent-Replayed, Import-Id, Retry-After, RateLimit-Policy, RateLimit, Allow, WWW-Authenticate, Content-Disposition, ETag, Deprecation, Sunset, Link",
  "X-Content-Type-Options": "nosniff",
} as const;

/** Sets headers without `ctx.set`, which makes several objects for each header. */
export function setHeaders({ res }: Context, headers: TransportHeaders = {}): void {
  for (const name in headers) res.setHeader(name, headers[name] as string | readonly string[]);
}

/** Sends JSON, with this `Content-Type`. */
export function sendJson(ctx: Context, json: string | Buffer, type = "application/json; charset=utf-8"): void {
  ctx.res.setHeader("Content-Type", type); // as ctx.type would set it, without its table lookup
  ctx.body = json;
}

/**
 * Removes the headers that let scripts of other origins read the answer. Any page may read answers of the API, because its credentials are never
 * cookies. Our own pages and endpoints must not be read by others.
 */
export function denyCrossOriginReads(ctx: Context): void {
  ctx.remove("Access-Control-Allow-Origin");
  ctx.remove("Access-Control-Expose-Headers");
}

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

/**
 * Answers /livez (the process runs) and /readyz (it can take requests) for supervisors. They are not part of the contract. `ready` returns
 * what is missing, or null when the server is ready.
 */
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

/** `onAnswer` is called for each answer with the operation of the contract, the status and the duration in milliseconds. */
type RequestLogOptions = Readonly<{
  onAnswer?: (operation: string | undefined, status: number, ms: number) => void;
  /** The share of successful reads that are logged, from 0 to 1. */
  sampleRate?: number;
  random?: () => number;
}>;

/**
 * Logs one line for each request, never with a body, a query, a header or a path that could contain a secret. Its level is error for a
 * failure of the server, warn for a request that the server refused on purpose, debug for a static file and a health check that went well.
 * Failures and changes are always logged, and of successful reads a share.
 */
export function logRequests(log: Logger, { onAnswer, sampleRate = 1, random = Math.random }: RequestLogOptions = {}): Middleware {
  // None of the members below can be a secret, and redaction costs much more than the line.
  const lines = log.child({}, { redact: [] });
  return async (ctx, next) => {
    const start = performance.now();
    await next();
    const ms = performance.now() - start;
    const { operation } = ctx.state as State;
    onAnswer?.(operation?.id, ctx.status, ms);
    const level = levelOf(ctx);
    const isSampled = sampleRate < 1 && level === "info" && isSuccessfulRead(ctx);
    if (isSampled && random() >= sampleRate) return;
    const { failure = null } = ctx.state as State;
    const rest = { ...(isSampled && { sampleRate }), ...(failure !== null && { error: describeFailure(failure) }) };
    lines[level]({ ...membersOf(ctx), ms: Math.round(ms * 10) / 10, ...senderOf(ctx), ...rest }, messages[level]);
  };
}

type State = {
  requestId?: string;
  operation?: Operation;
  principal?: Principal;
  page?: string;
  endpoint?: string;
  isFile?: boolean;
  isProbe?: boolean;
  failure?: unknown;
};

const messages = { debug: undefined, info: undefined, warn: "request refused", error: "request failed" };

function levelOf({ status, state }: Context): keyof typeof messages {
  const { failure = null, isFile, isProbe } = state as State;
  if (status >= 500) return status === 503 && failure === null ? "warn" : "error";
  return (isFile || isProbe) && status < 400 ? "debug" : "info";
}

function isSuccessfulRead({ method, status }: Context): boolean {
  return (method === "GET" || method === "HEAD") && status < 400;
}

function membersOf({ method, status, state }: Context) {
  const { requestId, operation, page, endpoint } = state as State;
  return { requestId, method, path: operation?.path ?? page ?? endpoint ?? "(none)", operation: operation?.id, status };
}

/** Who sent the request: an address, and ids of the credential that it was verified with. */
function senderOf({ ip, state }: Context) {
  const { principal } = state as State;
  if (!principal) return { address: ip };
  const { streamerId, applicationId, credential } = principal;
  return { address: ip, streamerId, ...(applicationId !== "" && { applicationId }), credentialId: credential.id };
}

const methods = new Set(METHODS);

/**
 * Makes a span of each request, by OpenTelemetry's semantic conventions for HTTP servers. It ends when the answer begins, as the log's line
 * does: a stream may go on for hours. A path that leads nowhere is left out, because people paste secrets there, and so are queries.
 */
export function traceRequests(tracing: Tracing): Middleware {
  return async (ctx, next) => {
    const header = ctx.get("traceparent");
    const method = methods.has(ctx.method) ? ctx.method : "_OTHER";
    const attributes = { "http.request.method": method, "url.scheme": ctx.protocol, ...serverOf(ctx) };
    const span = tracing.start(method, { kind: "server", parent: readTraceparent(header) ? header : null, attributes });
    await withinSpan(span, next);
    const { status } = ctx;
    const { operation, page, endpoint, isFile } = ctx.state as State;
    const route = operation?.path ?? endpoint ?? (status === 404 ? undefined : page);
    span.set({ "http.response.status_code": status, ...((route ?? isFile) && { "url.path": ctx.path }) });
    if (route !== undefined) {
      span.set({ "http.route": route });
      span.rename(`${method} ${route}`);
    }
    span.end(status >= 500 ? { error: String(status) } : {});
  };
}

/** The host that the client asked for; the port where it is named. */
function serverOf({ hostname, host }: Context): Record<string, string | number> {
  const port = /:(\d+)$/.exec(host)?.[1];
  return { ...(hostname !== "" && { "server.address": hostname }), ...(port !== undefined && { "server.port": Number(port) }) };
}

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

/** Why the server failed; null when the client did, and when the server refused: on purpose, such as because of overload, or because of a lock. */
function failureBehind(error: unknown): unknown {
  if (error instanceof Problem) {
    if (problems[error.code].status < 500 || (error.code === "unavailable" && !error.cause)) return null;
    return error.cause ?? error;
  }
  if (isLockConflict(error)) return null;
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
  if (isLockConflict(error)) return locked();
  if (isUnavailable(error))
    return new Problem("unavailable", "The database can't be reached, or has too much to do; nothing was recorded.");
  return internalError();
}

function render(ctx: Context, problem: Problem): void {
  ctx.status = problems[problem.code].status;
  if (problem.code === "unavailable") setHeaders(ctx, { "Retry-After": "1" });
  setHeaders(ctx, problem.extras.headers);
  const type = namesOnlyJson(ctx.get("Accept")) ? undefined : "application/problem+json";
  sendJson(ctx, JSON.stringify(problemBody(problem, instanceOf(ctx.path), ctx.state.requestId)), type);
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
