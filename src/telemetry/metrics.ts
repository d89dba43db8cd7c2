// What operators watch, in Prometheus's words, on a port of its own. No label names a streamer, a donor or a credential.

import cluster from "node:cluster";
import { createServer, type Server } from "node:http";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { describeFailure } from "./describe-failure.ts";

export type Metrics = ReturnType<typeof makeMetrics>;

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Every metric there is, at zero. Event loop, memory and CPU come from prom-client. */
export function makeMetrics() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: "http_request_duration_seconds",
    help: "Requests by operation of the contract (none: no operation was met) and class of status.",
    labelNames: ["operation", "status"] as const,
    buckets: seconds,
    registers,
  });
  const batches = new Histogram({
    name: "donation_batch_rows",
    help: "Donations that were recorded together.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });
  const limited = new Counter({
    name: "rate_limited_total",
    help: "Requests refused with 429, by rate limit.",
    labelNames: ["limit"] as const,
    registers,
  });
  const limitedAlone = new Counter({
    name: "rate_limits_without_redis_total",
    help: "Requests that a process counted alone because Redis, or its primary, did not answer.",
    registers,
  });
  const overload = new Counter({
    name: "overload_refused_total",
    help: "Requests refused with 503 before anything was done, because too many were under way.",
    registers,
  });
  const authFailures = new Counter({
    name: "auth_failures_total",
    help: "Requests without a good credential, by problem code.",
    labelNames: ["code"] as const,
    registers,
  });
  const toolCalls = new Counter({
    name: "mcp_tool_calls_total",
    help: "Calls of MCP tools, by tool and outcome: ok, or a problem code.",
    labelNames: ["tool", "outcome"] as const,
    registers,
  });
  const classes = ["", "1xx", "2xx", "3xx", "4xx", "5xx"];
  return {
    request: (operation: string | undefined, status: number, ms: number) =>
      requests.observe({ operation: operation ?? "none", status: classes[Math.floor(status / 100)] ?? "" }, ms / 1000),
    batch: (rows: number) => batches.observe(rows),
    limited: (limit: string) => limited.inc({ limit }),
    limitedAlone: () => limitedAlone.inc(),
    overloaded: () => overload.inc(),
    authFailure: (code: string) => authFailures.inc({ code }),
    toolCall: (tool: string, outcome: string) => toolCalls.inc({ tool, outcome }),
    /** A number that is read when somebody looks. That of all workers is their sum; of ages it is the highest. */
    gauge: (name: string, help: string, read: () => number | Promise<number>) => {
      const aggregator = name.endsWith("_seconds") ? "max" : "sum";
      const gauge: Gauge = new Gauge({ name, help, aggregator, registers, collect: async () => gauge.set(await read()) });
    },
    /** How many connections each of these pools has, and how many wait for one. */
    pools: (pools: Readonly<Record<string, Knex>>) => {
      const gauge: Gauge<"pool" | "state"> = new Gauge({
        name: "database_connections",
        help: "Connections in use and idle, and callers that wait for one.",
        labelNames: ["pool", "state"] as const,
        registers,
        collect: () => {
          for (const [name, knex] of Object.entries(pools)) {
            const { pool } = knex.client as { pool?: { numUsed(): number; numFree(): number; numPendingAcquires(): number } };
            if (!pool) continue; // closed
            gauge.set({ pool: name, state: "used" }, pool.numUsed());
            gauge.set({ pool: name, state: "idle" }, pool.numFree());
            gauge.set({ pool: name, state: "waiting" }, pool.numPendingAcquires());
          }
        },
      });
    },
    /** In a worker: `makeCrewMetrics` of the primary may ask for these. */
    share: () => {
      AggregatorRegistry.setRegistries([registry]);
      new AggregatorRegistry();
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

/** In the primary: those of all workers together, how many workers there are, and how many failed. */
export function makeCrewMetrics() {
  const crew = new AggregatorRegistry();
  const own = new Registry();
  const registers = [own];
  const count = () => workers.set(Object.keys(cluster.workers ?? {}).length);
  const workers: Gauge = new Gauge({ name: "workers", help: "Processes that serve.", registers, collect: count });
  const failures = new Counter({ name: "worker_failures_total", help: "Workers that ended without being told to.", registers });
  return {
    workerFailed: () => failures.inc(),
    text: async () => `${await crew.clusterMetrics()}\n${await own.metrics()}`,
    contentType: crew.contentType,
  };
}

export type MetricsPlace = { host: string; port: number; log: Logger };

/** Serves GET /metrics. Rejects with a clear message when the address can't be used. */
export async function serveMetrics(
  metrics: { text: () => Promise<string>; contentType: string },
  { host, port, log }: MetricsPlace,
): Promise<Server> {
  const server = createServer(async (request, response) => {
    if (request.url !== "/metrics" || request.method !== "GET") return void response.writeHead(404).end();
    const text = await metrics.text().catch((error: unknown) => {
      log.warn({ error: describeFailure(error) }, "metrics can't be read");
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
