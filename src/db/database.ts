// The database of a process: its pools on one server, embedded or external.

import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type { Client } from "pg";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { describeFailure } from "../telemetry/describe-failure.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { findLayout, type Layout, type PoolTraits } from "./citus/layout.ts";
import { adviceOn, cannotBeUsed, nameOf } from "./connection-advice.ts";
import { openEmbedded } from "./embedded.ts";
import { isUnavailable, needsOperator } from "./failures.ts";
import { createPool, type PoolOptions, parseDatabaseUrl } from "./pool.ts";
import { pools } from "./pools.ts";
import { requireSuitable } from "./requirements.ts";
import { isPooled, keepsPrepared } from "./session.ts";

type DatabaseSource = {
  /** The operator's own server; the embedded PostgreSQL is used when there is none. */
  databaseUrl?: string | null | undefined;
  /** Where the embedded PostgreSQL keeps its data. */
  dataDir: string;
  /** Whether statements are prepared by name; when it is null, they are unless a connection pooler is found. */
  preparedStatements?: boolean | null;
  /** Why commits survive a crash although the server says fsync=off; null: such a server is refused. */
  durability?: string | null;
  /** Whether migrations distribute the tables over the nodes of a Citus cluster. A database where they did so stays distributed. */
  distribute?: "citus" | null;
  /** How long a server of the operator's is waited for that cannot be reached; said once. */
  waitMs?: number;
  log: Logger;
};

export type Database = {
  /** Holds the password: never log it. */
  url: string;
  /** The general pool. */
  knex: Knex;
  /** There is a connection pooler between this process and the server. */
  isPooled: boolean;
  layout: Layout;
  /** Another pool on the same database, closed together with it. */
  pool(options: PoolOptions): Knex;
  /** All pools, by application name. */
  pools(): Readonly<Record<string, Knex>>;
  /** Waits for running queries, closes every pool and releases the embedded PostgreSQL. Further calls do nothing. */
  close(): Promise<void>;
};

/** What a serving process opens first. The rooms are opened on it. The database is migrated. */
export type ProcessDeps = Readonly<{ config: Config; database: Database; log: Logger; metrics: Metrics }>;

/**
 * Connects to `databaseUrl`, or to the embedded PostgreSQL in `dataDir`, which it starts when it does not run.
 * Throws an Error that tells an operator what to do when there is no server, or one that could lose donations.
 */
export async function openDatabase(source: DatabaseSource): Promise<Database> {
  const server = source.databaseUrl ? externalServer(source.databaseUrl) : await openEmbedded(source);
  const database = databaseOn(server, source);
  try {
    await requireReachable(database, source);
    await requireSuitable(database.knex, source.durability ?? null);
    if (source.durability)
      source.log.info({ reason: source.durability }, "DURABILITY attests that commits survive a crash of this database");
    const layout = await findLayout(database.knex, source.distribute);
    Object.assign(database.traits, { layout });
    return Object.assign(database, { layout, isPooled: await findPooler(database.knex, source.log) });
  } catch (error) {
    await database.close();
    throw error;
  }
}

type Server = {
  url: string;
  release(): Promise<void>;
};

function externalServer(url: string): Server {
  parseDatabaseUrl(url);
  return { url, release: async () => {} };
}

/** How long a server is waited for that takes connections and does not answer in time, as on a busy machine. */
const slowServerMs = 30_000;

const retryMs = 500;

async function requireReachable({ knex, url }: Database, { databaseUrl, waitMs = 0, log }: DatabaseSource): Promise<void> {
  const setting = databaseUrl ? "DATABASE_URL" : "DATA_DIR";
  const began = performance.now();
  for (let isSaid = false; ; isSaid = true) {
    try {
      return void (await knex.raw("select 1"));
    } catch (cause) {
      const limit = Math.max(waitMs, isTimeout(cause) ? slowServerMs : 0);
      if (!isUnavailable(cause) || needsOperator(cause) || performance.now() - began >= limit) throw cannotBeUsed(setting, url, cause);
      if (waitMs > 0 && !isSaid) {
        const advice = adviceOn(setting, cause); // a pooler refuses a wrong password with the code of a server that is away
        const line = `${nameOf(url)} cannot be used yet; waiting for up to ${limit / 1_000} s`;
        log.warn({ error: describeFailure(cause) }, advice ? `${line}. ${advice}` : line);
      }
      if (!isTimeout(cause)) await sleep(retryMs);
    }
  }
}

/** Whether a pooler answers the connections of this pool. */
async function findPooler(knex: Knex, log: Logger): Promise<boolean> {
  const client: Client = await knex.client.acquireConnection();
  await knex.client.releaseConnection(client);
  if (!isPooled(client)) return false;
  const preparedStatements = keepsPrepared(client) ? "on" : "off";
  log.info({ preparedStatements }, "a connection pooler answers at DATABASE_URL: every transaction brings its own settings");
  return true;
}

/** Time-outs alone are unavailability without a code. */
const isTimeout = (error: unknown): boolean => isUnavailable(error) && describeFailure(error).code === undefined;

function databaseOn({ url, release }: Server, { log, preparedStatements }: DatabaseSource): Database & { traits: PoolTraits } {
  const traits: PoolTraits = { layout: "onServer" };
  const opened: { name: string; knex: Knex }[] = [];
  const pool = (options: PoolOptions) => {
    const created = createPool(url, { ...options, traits, preparedStatements: preparedStatements ?? undefined }, log);
    opened.push({ name: options.applicationName ?? "", knex: created });
    return created;
  };
  let closing: Promise<void> | undefined;
  const close = async () => {
    await Promise.all(opened.map(({ knex }) => knex.destroy()));
    await release();
  };
  const poolsByName = () => Object.fromEntries(opened.map(({ name, knex }) => [name, knex]));
  return {
    url,
    knex: pool(pools.general),
    isPooled: false,
    ...traits,
    traits,
    pool,
    pools: poolsByName,
    close: () => (closing ??= close()),
  };
}
