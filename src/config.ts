// Reads the configuration from the environment.

import { join } from "node:path";
import { requireTls } from "./config-tls.ts";
import { readTraces } from "./config-traces.ts";
import { readTts } from "./config-tts.ts";
import { readSetting, readSettings } from "./setting.ts";
import { addressSettings, databaseSettings, limitSettings, processSettings } from "./settings.ts";

/** What each member means, its setting says. Addresses of databases and of Redis may hold a password: never log them. */
export type Config = ReturnType<typeof readConfig>;
export type LogLevel = Config["logLevel"];
export type ClientDocuments = Config["clientDocuments"];
export type Webhooks = Config["webhooks"];

/** Reads the environment variables. Throws an Error that names the variable and its rule. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const read = readSettings(env, { ...addressSettings, ...databaseSettings, ...processSettings, ...limitSettings });
  const { limits, ...values } = read;
  requireAddresses(values);
  if (values.metricsPort && values.metricsPort === values.port)
    throw new Error(`METRICS_PORT must be another port than PORT, ${values.port}`);
  return Object.freeze({
    ...values,
    erasureJournal: values.erasureJournal ?? join(values.dataDir, "erasures.ndjson"),
    baseUrl: values.baseUrl ?? (readSetting({ BASE_URL: defaultBaseUrl(values) }, addressSettings.baseUrl) as string),
    rateLimits: limits !== "off",
    limitOverrides: typeof limits === "string" ? {} : limits,
    notifier: values.notifier ?? defaultNotifier(values),
    tts: readTts(env),
    traces: readTraces(env, values.brand),
  });
}

type Addresses = Pick<
  ReturnType<typeof readSettings<typeof databaseSettings & typeof processSettings>>,
  "databaseUrl" | "listenDatabaseUrl" | "readDatabaseUrl" | "distribute" | "notifier" | "redisUrl"
>;

/** Throws an Error when settings do not go together. */
function requireAddresses({ distribute, notifier, redisUrl, ...addresses }: Addresses): void {
  const { databaseUrl, listenDatabaseUrl, readDatabaseUrl } = addresses;
  if (databaseUrl) requireTls("DATABASE_URL", new URL(databaseUrl));
  if (listenDatabaseUrl) requireTls("LISTEN_DATABASE_URL", new URL(listenDatabaseUrl));
  if (readDatabaseUrl) requireTls("READ_DATABASE_URL", new URL(readDatabaseUrl));
  if (distribute && !databaseUrl) throw new Error("DISTRIBUTE=citus needs DATABASE_URL: the address of the coordinator");
  if (distribute && readDatabaseUrl) throw new Error("DISTRIBUTE=citus does not go with READ_DATABASE_URL: reads go to the nodes already");
  if (notifier === "redis" && !redisUrl) throw new Error("NOTIFIER=redis needs REDIS_URL");
}

function defaultBaseUrl({ host, port }: { host: string; port: number }): string {
  if (host === "0.0.0.0" || host === "::") return `http://127.0.0.1:${port}`;
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

/** One that reaches every process. */
function defaultNotifier({ redisUrl, workers }: { redisUrl: string | null; workers: number }) {
  if (redisUrl) return "redis";
  return workers > 1 ? "postgres" : "process";
}
