// A span for each request of a webhook, by OpenTelemetry's semantic conventions for HTTP clients. The address's path may be a secret and is
// left out.

import { activeTracing, type TraceSpan } from "../../../telemetry/tracing.ts";

/** Null when the event's donation is not traced. `parent`: the traceparent of its recording. */
export function startAttempt(parent: string | undefined, { hostname, port, protocol }: URL): TraceSpan | null {
  if (parent === undefined) return null;
  const attributes = {
    "http.request.method": "POST",
    "server.address": hostname,
    "server.port": Number(port || (protocol === "https:" ? 443 : 80)),
  };
  return activeTracing()?.start("POST", { kind: "client", parent, attributes }) ?? null;
}

/** `status`: null when there was no answer, `error` says why in words then. */
export function endAttempt(span: TraceSpan | null, status: number | null): void {
  if (!span) return;
  if (status !== null) span.set({ "http.response.status_code": status });
  const failure = status === null ? "_OTHER" : String(status);
  span.end(status !== null && status < 400 ? {} : { error: failure });
}
