// Exports traces by OpenTelemetry. Loaded only when OTEL_EXPORTER_OTLP_ENDPOINT is set: the exporter reads that variable, and those of headers,
// time-outs, compression and certificates, by itself.

import { randomUUID } from "node:crypto";
import { type Link, ROOT_CONTEXT, type Span, type SpanContext, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Logger } from "pino";
import { type TraceConfig, traceProtocol } from "../config-traces.ts";
import { readTraceparent, type SpanOptions, type TraceSpan, type Tracing } from "./tracing.ts";
import { version } from "./version.ts";

/** A shutdown does not wait longer for a collector. */
const closeMs = 3_000;
const warnEveryMs = 60_000;

/** `serviceName` holds unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES names the service. */
export function openTracing({ serviceName, sampler, delayMs, ignoredProtocol }: TraceConfig, log: Logger): Tracing {
  if (ignoredProtocol !== null)
    log.warn(
      { ignoredProtocol },
      `OTEL_EXPORTER_OTLP_PROTOCOL is ignored: traces are sent as ${traceProtocol}, the only protocol supported`,
    );
  const resource = defaultResource()
    .merge(resourceFromAttributes({ "service.name": serviceName, "service.version": version, "service.instance.id": randomUUID() }))
    .merge(detectResources({ detectors: [envDetector] }));
  const processor = new BatchSpanProcessor({ exporter: warning(new OTLPTraceExporter(), log), scheduledDelayMillis: delayMs });
  const provider = new TracerProvider({ resource, sampler: samplerOf(sampler), spanProcessors: [processor] });
  const tracer = provider.getTracer("namjai-donation-service");
  return {
    start: (name, options) => {
      const { kind = "internal", attributes = {}, links = [], startedAt } = options;
      const span = tracer.startSpan(
        name,
        {
          kind: kinds[kind],
          attributes: attributes as Record<string, string | number | string[]>,
          links: links.map(toLink),
          ...(startedAt !== undefined && { startTime: startedAt }),
        },
        contextOf(options),
      );
      return toTraceSpan(span);
    },
    close: async () => {
      const end = new Promise<void>((resolve) => setTimeout(resolve, closeMs).unref());
      await Promise.race([provider.shutdown().catch(() => {}), end]);
    },
  };
}

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

function contextOf({ parent }: SpanOptions) {
  const known = typeof parent === "string" ? readTraceparent(parent) : parent;
  if (!known) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, { ...contextFrom(known), isRemote: typeof parent === "string" });
}

function contextFrom({ traceId, spanId, isSampled }: Pick<TraceSpan, "traceId" | "spanId" | "isSampled">): SpanContext {
  return { traceId, spanId, traceFlags: isSampled ? 1 : 0 };
}

function toLink(span: TraceSpan): Link {
  return { context: contextFrom(span) };
}

function toTraceSpan(span: Span): TraceSpan {
  const { traceId, spanId, traceFlags } = span.spanContext();
  let isOpen = true;
  return {
    traceId,
    spanId,
    isSampled: (traceFlags & 1) === 1,
    traceparent: `00-${traceId}-${spanId}-${(traceFlags & 1) === 1 ? "01" : "00"}`,
    isOpen: () => isOpen,
    set: (attributes) => void span.setAttributes(attributes as Record<string, string | number | string[]>),
    rename: (name) => void span.updateName(name),
    link: (other) => void span.addLink(toLink(other)),
    end: ({ error, at } = {}) => {
      isOpen = false;
      if (error !== undefined) span.setAttribute("error.type", error).setStatus({ code: SpanStatusCode.ERROR });
      span.end(at);
    },
  };
}

/** OTEL_TRACES_SAMPLER. */
function samplerOf({ name, ratio }: TraceConfig["sampler"]): Sampler {
  const root = (kind: string): Sampler => {
    if (kind === "always_off") return new AlwaysOffSampler();
    return kind === "traceidratio" ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
  };
  const [, parentBased, kind = ""] = /^(parentbased_)?(.*)$/.exec(name) ?? [];
  return parentBased ? new ParentBasedSampler({ root: root(kind) }) : root(kind);
}

/** The same exporter; failures are logged, once a minute at most. */
function warning(exporter: OTLPTraceExporter, log: Logger): SpanExporter {
  let warnedAt = Number.NEGATIVE_INFINITY;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error && performance.now() - warnedAt > warnEveryMs) {
          warnedAt = performance.now();
          log.warn(
            { error: { name: result.error.name, message: result.error.message }, spans: spans.length },
            "traces could not be exported",
          );
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush(),
  };
}
