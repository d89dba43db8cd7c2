// The metrics that operators watch, in the format of Prometheus, on a port of their own. No label names a streamer, a donator or a credential.

import { createServer, type Server } from "node:http";
import type { Knex } from "knex";
import type { Logger } from "pino";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { describeFailure } from "./describe-failure.ts";
import { addGauge, addLabelledGauge, addPoolGauge, databaseGauges } from "./gauges.ts";
import { version } from "./version.ts";
import { shareMetrics } from "./worker-metrics.ts";

export type Metrics = ReturnType<typeof makeMetrics>;

const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]; // seconds
const statusClasses = ["", "1xx", "2xx", "3xx", "4xx", "5xx"];

/** Every metric of a process, at zero. Event loop, memory and CPU are measured by prom-client. */
export function makeMetrics(log: Logger) {
  const registry = new Registry();
  const registers = [registry];
  collectProcessMetrics(registry);
  const { requests, batches } = makeHistograms(registers);
  const { limited, countedLocally, overload, authFailures, toolCalls, webhookAttempts, standbyReads } = makeCounters(registers);
  return {
    request: (operation: string | undefined, status: number, ms: number) =>
      requests.observe({ operation: operation ?? "none", status: statusClasses[Math.floor(status / 100)] ?? "" }, ms / 1000),
    batch: (rows: number) => batches.observe(rows),
    limited: (limit: string) => limited.inc({ limit }),
    countedLocally: () => countedLocally.inc(),
    overloaded: () => overload.inc(),
    authFailure: (code: string) => authFailures.inc({ code }),
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

export type MetricsOptions = { host: string; port: number; log: Logger };

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

function makeHistograms(registers: Registry[]) {
  const requests = new Histogram({
    name: "http_request_duration_seconds",
    help: "Duration of requests, by operation of the contract (none: the request matched no operation) and class of status.",
    labelNames: ["operation", "status"] as const,
    buckets: durationBuckets,
    registers,
  });
  const batches = new Histogram({
    name: "donation_batch_rows",
    help: "Donations that were recorded in one statement.",
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers,
  });
  return { requests, batches };
}

function makeCounters(registers: Registry[]) {
  const limited = new Counter({
    name: "rate_limited_total",
    help: "Requests refused with 429, by rate limit.",
    labelNames: ["limit"] as const,
    registers,
  });
  const countedLocally = new Counter({
    name: "rate_limits_counted_locally_total",
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
    help: "Requests without a valid credential, by problem code.",
    labelNames: ["code"] as const,
    registers,
  });
  const toolCalls = new Counter({
    name: "mcp_tool_calls_total",
    help: "Calls of MCP tools, by tool and outcome: ok, or a problem code.",
    labelNames: ["tool", "outcome"] as const,
    registers,
  });
  const webhookAttempts = new Counter({
    name: "webhook_attempts_total",
    help: "Requests to webhooks, by outcome.",
    labelNames: ["outcome"] as const,
    registers,
  });
  const standbyReads = new Counter({
    name: "standby_reads_total",
    help: "Reads where READ_DATABASE_URL is set, by where they went: the standby; or the primary, because the standby was behind, failed, or was away.",
    labelNames: ["outcome"] as const,
    registers,
  });
  return { limited, countedLocally, overload, authFailures, toolCalls, webhookAttempts, standbyReads };
}
