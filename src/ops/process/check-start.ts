// What the first process of a server says and refuses at its start: settings that are not meant so, too few files and connections, and what is in
// force.

import { resolve } from "node:path";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import { describeLayout } from "../../db/citus/layout.ts";
import type { Database } from "../../db/database.ts";
import { requireSameDatabase } from "../../db/other-addresses.ts";
import { warnOfNoUpkeep } from "../../db/requirements.ts";
import { leastDescriptors, maxConnections, maxDescriptors, usualConnections } from "../../http/server/server-limits.ts";
import { findOddSettings } from "../../setting-names.ts";
import { warnUnreachable } from "../../speech/choose-speaker.ts";
import { version } from "../../telemetry/version.ts";

/** Call it before the database is opened, which may be another one than is meant. */
export function checkSettings(config: Config, env: NodeJS.ProcessEnv, log: Logger): void {
  for (const sentence of findOddSettings(env)) log.warn(sentence);
  const { pathname } = new URL(config.baseUrl);
  if (pathname !== "/")
    log.warn(
      `BASE_URL has the path ${pathname}: the server answers at / and leaves it to a reverse proxy to take the path off each request`,
    );
  if (config.tts) void warnUnreachable(config.tts, log);
}

/** Throws an Error when a setting needs a package that is not installed, because few servers do (`npm run extras`). */
export function requirePackages({ redisUrl, traces }: Pick<Config, "redisUrl" | "traces">, resolve = import.meta.resolve): void {
  if (redisUrl) requirePackage("REDIS_URL", "@redis/client", resolve);
  if (traces) requirePackage("OTEL_EXPORTER_OTLP_ENDPOINT", "@opentelemetry/sdk-trace", resolve);
}

function requirePackage(setting: string, name: string, resolve: (name: string) => string): void {
  try {
    resolve(name);
  } catch (cause) {
    throw new Error(`${setting} needs the npm package ${name}, which is not installed. Run: npm run extras`, { cause });
  }
}

/** Says what is in force, without passwords. Throws an Error that names the setting of another database. */
export async function checkDatabase(config: Config, database: Database, log: Logger): Promise<void> {
  await warnOfNoUpkeep(database.knex, log);
  await requireSameDatabase(database.knex, config, log);
  log.info(inForce(config, database), "starting with these settings");
}

function inForce(config: Config, { isPooled, layout, url }: Database) {
  return {
    version,
    database: config.databaseUrl ? placeOf(url) : `embedded in ${resolve(config.dataDir)}`,
    pooler: isPooled,
    ...describeLayout(layout),
    standby: config.readDatabaseUrl && placeOf(config.readDatabaseUrl),
    redis: config.redisUrl && placeOf(config.redisUrl),
    notifier: config.notifier,
    workers: config.workers,
    secretsEncrypted: config.secretKey !== null,
    erasureJournal: resolve(config.erasureJournal),
    baseUrl: config.baseUrl,
  };
}

/** Host, port and name, without user and password. */
function placeOf(address: string): string {
  const { host, pathname } = new URL(address);
  return host + pathname;
}

/** Says so when the process serves fewer connections than usual. Throws when it may open too few files to serve. */
export function requireDescriptors(warn: (figures: object, line: string) => void, descriptors = maxDescriptors()): void {
  if (descriptors < leastDescriptors)
    throw new Error(`this process may open ${descriptors} files and connections (ulimit -n), and needs ${leastDescriptors} at least`);
  const connections = maxConnections(descriptors);
  if (connections < usualConnections)
    warn(
      { descriptors, connections },
      `${connections} clients can be connected to each process at once instead of ${usualConnections}, because it may open ${descriptors} files and connections only (ulimit -n)`,
    );
}
