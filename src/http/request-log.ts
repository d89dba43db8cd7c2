// Middleware: one log line and one span for each request.

import { METHODS } from "node:http";
import type { Context, Middleware } from "koa";
import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { readTraceparent, type Tracing, withinSpan } from "../telemetry/tracing.ts";
import type { Operation } from "./contract/operation.ts";
import type { Principal } from "./operations.ts";

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
  const lines = requestLines(log);
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

/** Redaction is off for these lines: all their members are named above and none can be a secret, and redacting costs much more than the line. */
function requestLines(log: Logger): Logger {
  return log.child({}, { redact: [] });
}

const methods = new Set(METHODS);

/**
 * Makes a span of each request, by OpenTelemetry's semantic conventions for HTTP servers. It ends when the answer begins, as the log's line does: a stream may go on for hours. A path that leads nowhere is left out, because
 * people paste secrets there, and so are queries.
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
function serverOf({ hostname, host }: Pick<Context, "hostname" | "host">): Record<string, string | number> {
  const port = /:(\d+)$/.exec(host)?.[1];
  return { ...(hostname !== "" && { "server.address": hostname }), ...(port !== undefined && { "server.port": Number(port) }) };
}
