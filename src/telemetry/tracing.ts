// Traces: which span is under way, and what of it goes along with a donation and to other programs. This file knows nothing of OpenTelemetry;
// open-tracing.ts, which is loaded only when an exporter is configured, does.

import { AsyncLocalStorage } from "node:async_hooks";

type SpanAttributes = Readonly<Record<string, string | number | readonly string[]>>;

export type TraceSpan = Readonly<{
  traceId: string;
  spanId: string;
  isSampled: boolean;
  /** The header by which others join this span (W3C Trace Context). */
  traceparent: string;
  isOpen: () => boolean;
  set: (attributes: SpanAttributes) => void;
  rename: (name: string) => void;
  link: (other: TraceSpan) => void;
  /** `error`: the value of `error.type`. `at`: milliseconds since 1970; now when there is none. */
  end: (outcome?: { error?: string | undefined; at?: number | undefined }) => void;
}>;

/** `parent`: a span, or a traceparent that is well-formed; null begins a trace. `startedAt`: milliseconds since 1970. */
export type SpanOptions = Readonly<{
  kind?: "server" | "client" | "internal";
  parent: TraceSpan | string | null;
  attributes?: SpanAttributes;
  links?: readonly TraceSpan[];
  startedAt?: number;
}>;

export type Tracing = Readonly<{
  start: (name: string, options: SpanOptions) => TraceSpan;
  /** Sends what was recorded, for a few seconds at most. */
  close: () => Promise<void>;
}>;

type Traceparent = Readonly<{ traceId: string; spanId: string; isSampled: boolean }>;

let active: Tracing | null = null;
const spans = new AsyncLocalStorage<TraceSpan | null>();

/** Of this process; null when nothing is traced, which is all that the check costs then. */
export function activeTracing(): Tracing | null {
  return active;
}

/** Called once, before anything that is traced is opened. */
export function setTracing(tracing: Tracing | null): void {
  active = tracing;
}

/** The span that the current work belongs to. Loops outlive the request that started them: a span that has ended is none of theirs. */
export function currentSpan(): TraceSpan | null {
  const span = active && spans.getStore();
  return span?.isOpen() ? span : null;
}

/** Runs `work`, and what it starts, as part of this span; null: of none. */
export function withinSpan<Result>(span: TraceSpan | null, work: () => Result): Result {
  return spans.run(span, work);
}

/** Runs `work` in a span of its own, which ends with it. */
export async function inSpan<Result>(span: TraceSpan, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await withinSpan(span, work);
    span.end();
    return result;
  } catch (error) {
    span.end({ error: errorTypeOf(error) });
    throw error;
  }
}

/**
 * Runs `work`, which one statement does for several callers. The span is a child of the first caller's, with links to all, and they have links
 * to it. One caller needs no such span, and without any the work belongs to none.
 */
export function inBatchSpan<Result>(name: string, callers: readonly (TraceSpan | null)[], work: () => Promise<Result>): Promise<Result> {
  const sampled = [...new Set(callers)].filter((span) => span?.isSampled && span.isOpen()) as TraceSpan[];
  const [first = null, ...others] = sampled;
  if (!active || !first || others.length === 0) return withinSpan(first, work);
  const attributes = { "donations.batch.callers": callers.length };
  const batch = active.start(name, { parent: first, links: sampled, attributes });
  for (const span of others) span.link(batch);
  return inSpan(batch, work);
}

/** The code of an error, or its name; never its message, which may quote values. */
export function errorTypeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return typeof code === "string" && code !== "" ? code : typeof name === "string" ? name : "_OTHER";
}

/** Reads the header `traceparent` (W3C Trace Context 3.2.2). Null when it is missing or invalid: then a new trace begins. */
export function readTraceparent(header: string | undefined): Traceparent | null {
  const [, version, traceId = "", spanId = "", flags = "", rest] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/.exec(header ?? "") ?? [];
  if (version === undefined || version === "ff" || (version === "00" && rest !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Members of every log line that is written during a request. */
export function traceFields(): object {
  const span = currentSpan();
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {};
}

// The spans in which this process recorded donations: what happens to a donation later, in the same process, joins its trace.

/** The number of donations whose traces are kept, the latest ones. */
const maxKept = 10_000;
const kept = new Map<string, string>();

/** Keeps the traceparent of a donation that this process records. */
export function noteTrace(donationId: string, traceparent: string): void {
  kept.set(donationId, traceparent);
  if (kept.size > maxKept) kept.delete(kept.keys().next().value as string);
}

/** The traceparent of a donation; undefined when it is not traced, or when another process or an earlier one has recorded it. */
export function traceOf(donationId: string): string | undefined {
  return kept.get(donationId);
}
