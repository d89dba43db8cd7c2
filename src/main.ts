// The process: configuration, database, application, listen, stop.

import { buildApp } from "./app.ts";
import { readConfig } from "./config.ts";
import { openDatabase } from "./db/database.ts";
import { migrate } from "./db/migrate.ts";
import { prepareDemo } from "./demo.ts";
import { listen } from "./http/server.ts";
import { makeLog } from "./log.ts";
import { makeMetrics, serveMetrics } from "./metrics.ts";

async function main(): Promise<void> {
  const stopped = stopSignal(); // from the start: a signal while the database starts must not leave it behind
  const config = readConfig(process.env);
  const log = makeLog(config.logLevel);
  const database = await openDatabase({ databaseUrl: config.databaseUrl ?? undefined, dataDir: config.dataDir, log });
  try {
    await migrate(database);
    const greeting = process.argv.includes("--demo") ? await prepareDemo(config, database) : "";
    const metrics = makeMetrics();
    const app = await buildApp({ config, database, log, metrics });
    const server = await listen(app.listener, config.host, config.port);
    const watched = config.metricsPort === null ? null : await serveMetrics(metrics, { host: config.host, port: config.metricsPort, log });
    console.log(`Listening on http://${config.host}:${server.port} (base URL ${config.baseUrl})${greeting}`);
    await stopped;
    log.info("stopping");
    app.leave();
    watched?.close();
    watched?.closeAllConnections();
    await server.stop();
    await app.close();
  } finally {
    await database.close();
    log.flush();
  }
}

/**
 * Resolves at the first SIGTERM or SIGINT. npm and make pass a signal on that the whole process group has got already, so
 * repeats within two seconds are the same one; a later one ends the process at once.
 */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | null = null;
    const stop = () => {
      askedAt ??= performance.now();
      if (performance.now() - askedAt > 2_000) process.exit(1);
      resolve();
    };
    process.on("SIGTERM", stop).on("SIGINT", stop);
  });
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    console.error(`Can't serve: ${error.message}`);
    process.exit(1);
  },
);
