// The entry point of the server: reads the configuration, opens the database, and runs as a single server, as a primary or as a worker.

import cluster from "node:cluster";
import { type Config, readConfig } from "./config.ts";
import { openDatabase } from "./db/database.ts";
import { isUnavailable, unavailableExitCode } from "./db/failures.ts";
import { migrate } from "./db/migrator/migrate.ts";
import { readArguments, UsageError, usage, wrongUsageExitCode } from "./ops/process/arguments.ts";
import { checkDatabase, checkSettings, requireDescriptors, requirePackages } from "./ops/process/check-start.ts";
import { logProcessEvents, makeLog } from "./telemetry/log.ts";
import { setTracing, type Tracing } from "./telemetry/tracing.ts";
import { version } from "./telemetry/version.ts";

/** How long a server is waited for that is not there yet, as when both machines start. A worker ends instead, and is started again. */
const databaseWaitMs = 60_000;

async function main(): Promise<void> {
  const asked = readArguments(process.argv.slice(2));
  if (asked.help) return console.log(usage);
  if (asked.version) return console.log(version);
  const stopped = stopSignal(); // before the database starts: a signal meanwhile must stop it, too
  const config = readConfig(process.env);
  requirePackages(config);
  const tracing = await startTracing(config);
  const log = makeLog(config.logLevel, cluster.worker?.id);
  logProcessEvents(log);
  if (cluster.isPrimary) requireDescriptors((figures, line) => log.warn(figures, line));
  if (cluster.isPrimary) checkSettings(config, process.env, log);
  if (!config.databaseUrl && cluster.isPrimary && asked.demo) console.log("Starting the embedded database …");
  if (cluster.isWorker || config.workers === 1) void import("./app.ts"); // it loads while the database is waited for
  if (config.workers === 1) process.on("SIGUSR2", () => log.info("SIGUSR2 replaces worker processes; with WORKERS=1 there are none"));
  else process.on("SIGUSR2", () => {}); // until there are workers; without a handler the signal would end the process
  const opening = openDatabase({ ...config, log, waitMs: cluster.isPrimary ? databaseWaitMs : 0 });
  // The embedded PostgreSQL is started even if it is not needed any more: it has to be stopped in order.
  const database = config.databaseUrl ? await Promise.race([opening, stopped]) : await opening;
  if (!database) return;
  try {
    const deps = { config, database, log, stopped };
    if (cluster.isWorker)
      return await (await import("./app.ts")).serve({
        ...deps,
        onListening: (port) => log.info({ port }, "this worker serves"),
      });
    await checkDatabase(config, database, log);
    await migrate(database);
    const greeting = asked.demo ? await (await import("./ops/demo/prepare-demo.ts")).prepareDemo(config, database) : null;
    const onListening = (port: number) => {
      const line = `Listening on http://${config.host}:${port} (base URL ${config.baseUrl})`;
      if (greeting === null) log.info({ version, port }, line);
      else console.log(`${line}, version ${version}${greeting}`);
    };
    if (config.workers > 1) await (await import("./ops/process/worker-pool.ts")).runPrimary({ ...deps, onListening });
    else await (await import("./app.ts")).serve({ ...deps, onListening });
  } finally {
    await database.close();
    await tracing?.close();
  }
}

/** Loads OpenTelemetry where traces are exported: not in a primary, which serves nothing. Comes before everything that is traced. */
async function startTracing({ traces, workers, logLevel }: Config): Promise<Tracing | null> {
  if (!traces || (cluster.isPrimary && workers > 1)) return null;
  const { openTracing } = await import("./telemetry/open-tracing.ts");
  const tracing = openTracing(traces, makeLog(logLevel, cluster.worker?.id));
  setTracing(tracing);
  return tracing;
}

/**
 * Resolves at the first SIGTERM or SIGINT. npm and make forward a signal that the whole process group has received already, so repeats
 * within two seconds count as the same signal; a later one ends the process at once.
 */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    let signalledAt: number | null = null;
    const stop = () => {
      signalledAt ??= performance.now();
      if (performance.now() - signalledAt > 2_000) process.exit(1);
      resolve();
    };
    process.on("SIGTERM", stop).on("SIGINT", stop);
  });
}

main().then(
  () => process.exit(0),
  (error: Error) => {
    if (error instanceof UsageError) {
      console.error(error.message);
      process.exit(wrongUsageExitCode);
    }
    makeLog("fatal", cluster.worker?.id).fatal(`Can't serve: ${error.message}`);
    process.exit(cluster.isWorker && isUnavailable(error) ? unavailableExitCode : 1);
  },
);
