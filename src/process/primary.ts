// The primary of several workers: it holds the port and the database, counts what they must count together, and serves their metrics.

import type { Server } from "node:http";
import { requireConnections } from "../db/requirements.ts";
import { countForWorkers } from "../http/rate-limits/primary-buckets.ts";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { makeCrewMetrics, serveMetrics } from "../telemetry/metrics.ts";
import type { ServeParts } from "./serve.ts";
import { makeCrew } from "./worker-pool.ts";

/** Leads until it is told to stop. SIGUSR2 replaces the workers one after the other. */
export async function lead({ config, database, log, stopped, onListening }: ServeParts): Promise<void> {
  await requireConnections(database.knex, config.workers);
  countForWorkers();
  const metrics = makeCrewMetrics();
  const crew = makeCrew({ size: config.workers, databaseUrl: database.url, log, onFailure: metrics.workerFailed });
  let watched: Server | null = null;
  try {
    const port = await Promise.race([crew.begin(), stopped.then(() => null)]);
    if (port === null) return; // told to stop while workers still start
    if (config.metricsPort !== null) watched = await serveMetrics(metrics, { host: config.host, port: config.metricsPort, log });
    process.on(
      "SIGUSR2",
      () => void crew.renew().catch((error) => log.error({ error: describeFailure(error) }, "can't renew the workers")),
    );
    onListening(port);
    await stopped;
  } finally {
    log.info("stopping");
    watched?.close();
    watched?.closeAllConnections();
    await crew.stop();
  }
}
