// The process: configuration, database, and whether it serves, leads those that do, or is one of them.

import cluster from "node:cluster";
import { readConfig } from "./config.ts";
import { openDatabase } from "./db/database.ts";
import { isUnavailable, unavailableExitCode } from "./db/failures.ts";
import { migrate } from "./db/migrate.ts";
import { makeLog } from "./telemetry/log.ts";

async function main(): Promise<void> {
  const stopped = stopSignal(); // from the start: a signal while the database starts must not leave it behind
  const config = readConfig(process.env);
  const log = makeLog(config.logLevel, cluster.worker?.id);
  const database = await openDatabase({ databaseUrl: config.databaseUrl ?? undefined, dataDir: config.dataDir, log });
  try {
    const parts = { config, database, log, stopped };
    if (cluster.isWorker)
      return await (await import("./process/serve.ts")).serve({
        ...parts,
        onListening: (port) => log.info({ port }, "this worker serves"),
      });
    await migrate(database);
    const greeting = process.argv.includes("--demo") ? await (await import("./demo/prepare-demo.ts")).prepareDemo(config, database) : "";
    const onListening = (port: number) => console.log(`Listening on http://${config.host}:${port} (base URL ${config.baseUrl})${greeting}`);
    if (config.workers > 1) await (await import("./process/primary.ts")).lead({ ...parts, onListening });
    else await (await import("./process/serve.ts")).serve({ ...parts, onListening });
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
    process.exit(cluster.isWorker && isUnavailable(error) ? unavailableExitCode : 1);
  },
);
