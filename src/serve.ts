// Serves from the start of a process to its stop: as a single server, or as one of several workers.

import cluster from "node:cluster";
import { flushCompileCache } from "node:module";
import type { Logger } from "pino";
import { buildApp } from "./app.ts";
import type { Config } from "./config.ts";
import type { Database } from "./db/database.ts";
import { type ListenOptions, listen } from "./http/server/server.ts";
import { maxConnections } from "./http/server/server-limits.ts";
import { makeMetrics, serveMetrics } from "./telemetry/metrics.ts";

export type ServeDeps = {
  config: Config;
  database: Database;
  log: Logger;
  /** Resolves when the process has to stop. */
  stopped: Promise<void>;
  onListening: (port: number) => void;
};

/** Serves until `stopped` resolves, and then finishes the requests under way. */
export async function serve({ config, database, log, stopped, onListening }: ServeDeps): Promise<void> {
  const metrics = makeMetrics(log);
  if (cluster.isWorker) metrics.share(); // first, so that no request of the primary for metrics is missed
  const app = await buildApp({ config, database, log, metrics });
  const server = await listen(app.listener, { ...listenOptions(config), upgrade: app.upgrade });
  const servesMetrics = !cluster.isWorker && config.metricsPort !== null;
  const metricsServer = servesMetrics ? await serveMetrics(metrics, { host: config.host, port: config.metricsPort, log }) : null;
  onListening(server.port);
  await app.compileValidators();
  flushCompileCache(); // now, because a killed process would not write it
  await stopped;
  log.info("stopping");
  app.leave();
  metricsServer?.close();
  metricsServer?.closeAllConnections();
  await server.stop();
  await app.close();
}

/** A browser that has used https once will use nothing else (RFC 6797). */
const httpsOnlyHeaders = { "Strict-Transport-Security": "max-age=31536000" };

function listenOptions({ host, port, baseUrl, proxies }: Config): ListenOptions {
  const inAll = maxConnections();
  const max = { inAll, perAddress: proxies > 0 ? null : inAll / 2 };
  return { host, port, max, headers: baseUrl.startsWith("https:") ? httpsOnlyHeaders : {} };
}
