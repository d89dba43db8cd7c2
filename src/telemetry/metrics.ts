// The metrics that operators watch, in the format of Prometheus, on a port of their own. No label names a streamer, a donator or a credential.

import cluster, { type Worker } from "node:cluster";
import { createServer, type Server } from "node:http";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { describeFailure } from "./describe-failure.ts";
import { addGauge, addLabelledGauge, addPoolGauge, databaseGauges, databaseReadMs } from "./gauges.ts";
import { version } from "./version.ts";

export type Metrics = ReturnType<typeof makeMetrics>;

const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]; // seconds
const statusClasses = ["", "1xx", "2xx", "3xx", "4xx", "5xx"];

/** Every metric of a process, at zero. Event loop, memory and CPU are measured by prom-client. */
export function makeMetrics(log: Logger) {
  const registry = new Registry();
  const registers = [registry];
  collectProcessMetrics(registry);
  const requests = new Histogram({
    name: "http_request_duration_seconds",
    help: "Duration of requests, by operation of the contract (none: the request matched no operation) and class of status.",
    labelNames: ["operation", "status"],
    buckets: durationBuckets,
    registers,
  });
  const batches = new Histogram({
    name: "donation_batch_rows",
    help: "Donations that were recorded in one statement.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });
  const counter = (name: string, help: string, ...labelNames: string[]) => new Counter({ name, help, labelNames, registers });
  const limited = counter("rate_limited_total", "Requests refused with 429, by rate limit.", "limit");
  const countedLocally = counter(
    "rate_limits_counted_locally_total",
    "Requests that a process counted alone because Redis, or its primary, did not answer.",
  );
  const overload = counter(
    "overload_refused_total",
    "Requests refused with 503 before anything was done, because too many were under way.",
  );
  const authFailures = counter("auth_failures_total", "Requests without a valid credential, by problem code.", "code");
  const clientsRegistered = counter("oauth_clients_registered_total", "Applications that registered themselves.");
  const toolCalls = counter("mcp_tool_calls_total", "Calls of MCP tools, by tool and outcome: ok, or a problem code.", "tool", "outcome");
  const webhookAttempts = counter("webhook_attempts_total", "Requests to webhooks, by outcome.", "outcome");
  const standbyReads = counter(
    "standby_reads_total",
    "Reads where READ_DATABASE_URL is set, by where they went: the standby; or the primary, because the standby was behind, failed, or was away.",
    "outcome",
  );
  return {
    request: (operation: string | undefined, status: number, ms: number) =>
      requests.observe({ operation: operation ?? "none", status: statusClasses[Math.floor(status / 100)] ?? "" }, ms / 1000),
    batch: (rows: number) => batches.observe(rows),
    limited: (limit: string) => limited.inc({ limit }),
    countedLocally: () => countedLocally.inc(),
    overloaded: () => overload.inc(),
    authFailure: (code: string) => authFailures.inc({ code }),
    clientRegistered: () => clientsRegistered.inc(),
    toolCall: (tool: string, outcome: string) => toolCalls.inc({ tool, outcome }),
    webhookAttempt: (outcome: "succeeded" | "failed") => webhookAttempts.inc({ outcome }),
    standbyRead: (outcome: string) => standbyReads.inc({ outcome }),
    gauge: (name: string, help: string, read: () => number) => addGauge(registers, { name, help, read }),
    labelledGauge: addLabelledGauge.bind(null, registers),
    databaseGauge: databaseGauges(registers, log),
    pools: (pools: Readonly<Record<string, Knex>>) => addPoolGauge(registers, pools),
    /** Call it in a worker: the primary may then ask for these metrics. */
    share: () => shareMetrics(registry, log),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

type MetricsOptions = { host: string; port: number; log: Logger };

/** Serves GET /metrics. Rejects with an Error that names host and port when the address can't be used. */
export async function serveMetrics(
  metrics: { text: () => Promise<string>; contentType: string },
  { host, port, log }: MetricsOptions,
): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (request.url !== "/metrics" || request.method !== "GET") return void response.writeHead(404).end();
    const text = await metrics.text().catch((error: unknown) => {
      log.warn({ error: describeFailure(error) }, "the metrics can't be read");
      return null;
    });
    if (text === null) return void response.writeHead(500).end();
    response.writeHead(200, { "Content-Type": metrics.contentType }).end(text);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new Error(`can't serve metrics on ${host}:${port}: ${error.message}. Set METRICS_PORT.`)));
    server.listen(port, host, resolve);
  });
  return server;
}

/** prom-client's metrics of Node and the process. Sums that it calls `…_total` although they may fall are left out: that ending is a counter's. */
function collectProcessMetrics(register: Registry): void {
  collectDefaultMetrics({ register });
  for (const what of ["handles", "requests", "resources"]) register.removeSingleMetric(`nodejs_active_${what}_total`);
  const help = "1, with the version of the server as label.";
  new Gauge({ name: "build_info", help, labelNames: ["version"], aggregator: "max", registers: [register] }).set({ version }, 1);
}

// The metrics of a server with several workers: the primary asks them, and adds up what they answer.

type Values = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;
type Ask = { metricsAsked: true };
type Answer = { metrics: Values };

/** A worker may wait for the database, and needs a moment beside that. */
const answerMs = databaseReadMs + 500;

/** Call it in a worker, which then answers the primary. */
function shareMetrics(registry: Registry, log: Logger): void {
  const answer = async () => {
    const metrics = await registry.getMetricsAsJSON();
    if (process.connected) process.send?.({ metrics } satisfies Answer);
  };
  process.on("message", ({ metricsAsked }: Partial<Ask>) => {
    if (metricsAsked) answer().catch((error) => log.warn({ error: describeFailure(error) }, "the primary can't be told the metrics"));
  });
}

/**
 * Call it in the primary: the metrics of all workers together, and of the pool. Where a worker does not answer, what it last counted is added,
 * and also what ended workers had counted: a sum that fell would look like a restart of the server.
 */
export function makeWorkerPoolMetrics() {
  const lastAnswers = new Map<number, Values>();
  let ended: Values = [];
  cluster.on("message", (worker: Worker, { metrics }: Partial<Answer>) => {
    if (metrics && !worker.isDead()) lastAnswers.set(worker.id, metrics);
  });
  cluster.on("exit", ({ id }: Worker) => {
    // Aggregated metrics have their values, which the types of prom-client leave out.
    ended = AggregatorRegistry.aggregate([ended, countsOf(lastAnswers.get(id))]).getMetricsAsArray() as Values;
    lastAnswers.delete(id);
  });
  const { failures, unanswered, registry } = makePoolMetrics();
  const textOfWorkers = async () => {
    const asked = workersToAsk();
    const answered = await askAll(asked);
    unanswered.set(asked.length - answered.size);
    const all = asked.map(({ id }) => (answered.has(id) ? lastAnswers.get(id) : countsOf(lastAnswers.get(id))) ?? []);
    return AggregatorRegistry.aggregate([ended, ...all]).metrics();
  };
  return {
    workerFailed: () => failures.inc(),
    text: async () => `${await textOfWorkers()}${await registry.metrics()}`,
    contentType: registry.contentType,
  };
}

function makePoolMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const count = () => workers.set(Object.keys(cluster.workers ?? {}).length);
  const workers: Gauge = new Gauge({ name: "workers", help: "Worker processes that are running.", registers, collect: count });
  const failures = new Counter({ name: "worker_failures_total", help: "Workers that ended although nobody stopped them.", registers });
  const unanswered = new Gauge({
    name: "workers_unanswered",
    help: "Worker processes that did not answer when these metrics were read, such as one that starts: gauges are without them, and they count as far as they last said.",
    registers,
  });
  return { registry, failures, unanswered };
}

function countsOf(metrics: Values = []): Values {
  return metrics.filter(({ type }) => String(type) !== "gauge");
}

/** A worker that ends may still be in the list, but can't be reached. */
function workersToAsk(): Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected()) as Worker[];
}

/** Resolves to the ids of those that have answered in time. */
async function askAll(asked: readonly Worker[]): Promise<Set<number>> {
  const answered = new Set<number>();
  const { promise: allAnswered, resolve } = Promise.withResolvers<void>();
  const note = (worker: Worker, { metrics }: Partial<Answer>) => {
    if (metrics) answered.add(worker.id);
    if (asked.every(({ id }) => answered.has(id))) resolve();
  };
  cluster.on("message", note);
  const timer = setTimeout(resolve, answerMs);
  for (const worker of asked) worker.send({ metricsAsked: true } satisfies Ask, () => {}); // without a callback a failure would be an event
  if (asked.length > 0) await allAnswered;
  clearTimeout(timer);
  cluster.off("message", note);
  return answered;
}
