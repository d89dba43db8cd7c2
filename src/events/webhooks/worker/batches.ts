// Sends batches to one endpoint: what follows its position in the log, one event after the other, and deliveries that are due again.

import pLimit from "p-limit";
import { Aborted } from "../../../http/hosts/hosts.ts";
import { traceOf } from "../../../telemetry/tracing.ts";
import { type LoggedEvent, toEvent } from "../../event.ts";
import type { EventLog } from "../../log.ts";
import { bodyOf } from "../deliveries.ts";
import { type Connection, maxSendMs, type Outcome } from "../request/send.ts";
import type { Written } from "./commits.ts";
import { type Health, healthOf, verdictOf } from "./retry-policy.ts";
import type { Due, Held, WorkerStore } from "./worker-store.ts";

export type LogReader = Readonly<{ read: EventLog["read"] }>;

export type BatchDeps = {
  store: WorkerStore;
  events: LogReader;
  random: () => number;
  /** Milliseconds since 1970. */
  now: () => number;
  /** An attempt was made. */
  onAttempt: (outcome: Outcome) => void;
};

/** What a batch was like: `lost` when another process has the endpoint, `empty` when nothing was there to send. */
export type BatchResult = Readonly<{ end: "lost" | "empty" | "sent"; isSlow: boolean; hasMore: boolean }>;

/** `isStopping`: whether to begin no further request. `isSlow`: of the batch before. */
export type BatchRequest = Readonly<{ held: Held; connection: Connection; isSlow: boolean; isStopping: () => boolean }>;

/** No request of a batch begins after this time, or after so many events. */
const batchMs = 250;
const batchEvents = 100;
/** How long after its first request a batch may be committed. */
export const maxBatchMs = batchMs + maxSendMs;
/** From an endpoint that was slow few events are read at a time: the next batch reads the others again. */
const slowBatchEvents = 4;
/** Repeated requests to one endpoint at the same time. */
const concurrentRetries = 4;
/** A batch of slower requests counts as slow. */
const slowMs = 1_000;

const noHealth: Health = { failing: "kept", failedAt: null, pausedUntil: null, disabledReason: null };

/** Sends what follows the position. A failed attempt does not hold the next event back; an answer that asks to wait does. */
export async function sendNext({ store, events, random, onAttempt }: BatchDeps, request: BatchRequest): Promise<BatchResult> {
  const { held, connection, isSlow, isStopping } = request;
  const { streamerId, position, types, withImported } = held;
  const page = await events.read({ streamerId, after: position, types, withImported, limit: isSlow ? slowBatchEvents : batchEvents });
  const outcomes: Outcome[] = [];
  const written: Written[] = [];
  const started = performance.now();
  for (const logged of page.events) {
    if (isStopping() || performance.now() - started > batchMs) break;
    const outcome = await send(connection, held, logged);
    if (outcome === null) break;
    onAttempt(outcome);
    outcomes.push(outcome);
    written.push(toWritten(logged, outcome, verdictOf(outcome, { failures: 0, random: random() })));
    if (outcome.retryAfterMs !== null || outcome.attempt.status === 410) break;
  }
  const isWhole = written.length === page.events.length;
  const reached = isWhole ? page.position : (written.at(-1)?.position ?? position);
  if (reached === position && written.length === 0) return { end: "empty", isSlow, hasMore: false };
  return commit(store, { held, outcomes, written, position: reached, hasMore: page.hasMore || !isWhole });
}

/** Sends deliveries whose next attempt is due. */
export async function sendDue(deps: BatchDeps, request: BatchRequest): Promise<BatchResult> {
  const { held, connection, isSlow, isStopping } = request;
  const limit = isSlow ? slowBatchEvents : batchEvents;
  const due = await deps.store.due(held.id, limit);
  if (due.length === 0) return { end: "empty", isSlow, hasMore: false };
  const outcomes: Outcome[] = [];
  const written: Written[] = [];
  const started = performance.now();
  const one = async (delivery: Due) => {
    if (isStopping() || performance.now() - started > batchMs) return;
    const logged = await readAgain(deps.events, held, delivery);
    if (!logged) return void written.push(givenUp(delivery, deps.now()));
    const outcome = await send(connection, held, logged);
    if (outcome === null) return;
    deps.onAttempt(outcome);
    outcomes.push(outcome);
    written.push(toWritten(logged, outcome, verdictOf(outcome, { failures: delivery.failures, random: deps.random() })));
  };
  const inTurn = pLimit(concurrentRetries);
  const tried = await Promise.allSettled(due.map((delivery) => inTurn(one, delivery)));
  const hasMore = due.length === limit || written.length < due.length;
  const result = await commit(deps.store, { held, outcomes, written, position: held.position, hasMore });
  // What receivers have answered is committed, whatever failed; what failed is due again.
  for (const one of tried) if (one.status === "rejected") throw one.reason;
  return result;
}

type Batch = { held: Held; outcomes: readonly Outcome[]; written: readonly Written[]; position: number; hasMore: boolean };

async function commit(store: WorkerStore, { held, outcomes, written, position, hasMore }: Batch): Promise<BatchResult> {
  const health = outcomes.length === 0 ? noHealth : healthOf(outcomes, held.failingSince);
  const isOurs = await store.commit({ endpointId: held.id, position, written, health });
  const isSlow = outcomes.some(({ attempt }) => attempt.error !== null || attempt.ms > slowMs);
  const isEnded = !isOurs || health.disabledReason !== null;
  return { end: isEnded ? "lost" : "sent", isSlow, hasMore: hasMore && health.pausedUntil === null };
}

/** Null when this process has closed the connection: nothing is known of the request, and what was sent before it is committed. */
async function send(connection: Connection, { applicationId, secrets }: Held, logged: LoggedEvent): Promise<Outcome | null> {
  const traceparent = logged.donationId === null ? undefined : traceOf(logged.donationId);
  try {
    return await connection.send({ id: logged.id, body: bodyFor(logged, applicationId), secrets, traceparent });
  } catch (error) {
    if (error instanceof Aborted) return null;
    throw error;
  }
}

/** Endpoints that have read an event together send the same body, if they are of one application. */
function bodyFor(logged: LoggedEvent, applicationId: string): string {
  const known = bodies.get(logged);
  if (known?.applicationId === applicationId) return known.body;
  const body = bodyOf(toEvent(logged, applicationId));
  bodies.set(logged, { applicationId, body });
  return body;
}

const bodies = new WeakMap<LoggedEvent, { applicationId: string; body: string }>();

/** Null when the event is deleted, or the application may not read it any more. */
async function readAgain(log: LogReader, { streamerId, types, withImported }: Held, { type, position }: Due): Promise<LoggedEvent | null> {
  if (!types.includes(type)) return null;
  const { events } = await log.read({ streamerId, after: position - 1, types: [type], withImported, limit: 1 });
  const [logged] = events;
  return logged?.position === position ? logged : null;
}

function givenUp({ eventId, type, position, failures }: Due, at: number): Written {
  const error = "The event is deleted, or the application may not read it any more.";
  const attempt = { at, status: null, ms: 0, answer: null, error };
  return { status: "failed", failures, nextAttemptAt: null, eventId, type, position, occurredAt: at, attempt };
}

function toWritten(
  { id, type, position, at }: Pick<LoggedEvent, "id" | "type" | "position" | "at">,
  { attempt }: Outcome,
  verdict: ReturnType<typeof verdictOf>,
): Written {
  return { ...verdict, eventId: id, type, position, occurredAt: at, attempt };
}
