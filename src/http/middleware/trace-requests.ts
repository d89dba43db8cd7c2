// Middleware: a span for each request, by OpenTelemetry's semantic conventions for HTTP servers.

import { METHODS } from "node:http";
import type { Context, Middleware } from "koa";
import { readTraceparent, type Tracing, withinSpan } from "../../telemetry/tracing.ts";
import type { Operation } from "../contract/contract.ts";

const methods = new Set(METHODS);

/**
 * The span ends when the answer begins, as the log's line does: a stream may go on for hours. A path that leads nowhere is left out, because
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

type State = { operation?: Operation; page?: string; endpoint?: string; isFile?: boolean };

/** The host that the client asked for; the port where it is named. */
function serverOf({ hostname, host }: Pick<Context, "hostname" | "host">): Record<string, string | number> {
  const port = /:(\d+)$/.exec(host)?.[1];
  return { ...(hostname !== "" && { "server.address": hostname }), ...(port !== undefined && { "server.port": Number(port) }) };
}
