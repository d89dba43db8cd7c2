// The primary of several workers: it owns the port and the database, counts their shared rate limits, and serves their metrics.

import type { Server } from "node:http";
import { requireConnections } from "./db/requirements.ts";
import { countForWorkers } from "./http/rate-limits/stores.ts";
import { makeWorkerPool } from "./ops/process/worker-pool.ts";
import type { ServeDeps } from "./serve.ts";
import { describeFailure } from "./telemetry/describe-failure.ts";
import { makeWorkerPoolMetrics, serveMetrics } from "./telemetry/metrics.ts";

/** Runs the workers until `stopped` resolves. SIGUSR2 replaces them one after the other. */
export async function runPrimary({ config, database, log, stopped, onListening }: ServeDeps): Promise<void> {
  await requireConnections(database, config.workers);
  countForWorkers();
  const metrics = makeWorkerPoolMetrics();
  const workers = makeWorkerPool({ size: config.workers, databaseUrl: database.url, log, onFailure: metrics.workerFailed });
  let metricsServer: Server | null = null;
  try {
    // Before the first worker answers /readyz: without a handler SIGUSR2 would end the process.
    process.on(
      "SIGUSR2",
      () => void workers.replaceAll().catch((error) => log.error({ error: describeFailure(error) }, "the workers could not be replaced")),
    );
    if (config.metricsPort !== null) metricsServer = await serveMetrics(metrics, { host: config.host, port: config.metricsPort, log });
    const port = await Promise.race([workers.start(), stopped.then(() => null)]);
    if (port === null) return; // stopped while workers were starting
    onListening(port);
    await stopped;
  } finally {
    log.info("stopping");
    metricsServer?.close();
    metricsServer?.closeAllConnections();
    await workers.stop();
  }
}
