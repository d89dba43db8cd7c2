// What a serving process does from its start to its stop: alone, or as one of several workers.

import cluster from "node:cluster";
import { flushCompileCache } from "node:module";
import type { Logger } from "pino";
import { buildApp } from "../app.ts";
import type { Config } from "../config.ts";
import type { Database } from "../db/database.ts";
import { type ListenOptions, listen } from "../http/server.ts";
import { mostConnections } from "../http/server-limits.ts";
import { makeMetrics, serveMetrics } from "../telemetry/metrics.ts";

export type ServeParts = {
  config: Config;
  database: Database;
  log: Logger;
  /** Resolves when it is to stop. */
  stopped: Promise<void>;
  onListening: (port: number) => void;
};

/** Serves until it is told to stop, and then finishes what it took. */
export async function serve({ config, database, log, stopped, onListening }: ServeParts): Promise<void> {
  const metrics = makeMetrics();
  if (cluster.isWorker) metrics.share(); // before anything else listens to the primary: what it asks meanwhile must not be missed
  const app = await buildApp({ config, database, log, metrics });
  const server = await listen(app.listener, listenOptions(config));
  const alone = !cluster.isWorker && config.metricsPort !== null;
  const watched = alone ? await serveMetrics(metrics, { host: config.host, port: config.metricsPort, log }) : null;
  onListening(server.port);
  flushCompileCache(); // now: a process that is killed keeps nothing
  await stopped;
  log.info("stopping");
  app.leave();
  watched?.close();
  watched?.closeAllConnections();
  await server.stop();
  await app.close();
}

/** A browser that has once come by https never comes without it again (RFC 6797). */
const onlyByHttps = { "Strict-Transport-Security": "max-age=31536000" };

function listenOptions({ host, port, baseUrl, proxies }: Config): ListenOptions {
  const inAll = mostConnections();
  const most = { inAll, perAddress: proxies > 0 ? null : inAll / 2 };
  return { host, port, most, headers: baseUrl.startsWith("https:") ? onlyByHttps : {} };
}
