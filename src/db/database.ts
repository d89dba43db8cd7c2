// The database of a process: its pools on one server, embedded or external.

import type { Knex } from "knex";
import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { openEmbedded } from "./embedded.ts";
import { isUnavailable } from "./failures.ts";
import { createPool, type PoolOptions, parseDatabaseUrl } from "./pool.ts";
import { pools } from "./pools.ts";
import { requireSuitable } from "./requirements.ts";

export type DatabaseSource = {
  /** The operator's own server; the embedded PostgreSQL is used when it is undefined. */
  databaseUrl?: string | undefined;
  /** Where the embedded PostgreSQL keeps its data. */
  dataDir: string;
  log: Logger;
};

export type Database = {
  /** Holds the password: never log it. */
  url: string;
  /** The general pool. */
  knex: Knex;
  /** Another pool on the same database, closed together with it. */
  pool(options: PoolOptions): Knex;
  /** All pools, by application name. */
  pools(): Readonly<Record<string, Knex>>;
  /** Waits for running queries, closes every pool and releases the embedded PostgreSQL. Further calls do nothing. */
  close(): Promise<void>;
};

/**
 * Connects to `databaseUrl`, or to the embedded PostgreSQL in `dataDir`, which it starts when it does not run.
 * Throws an Error that tells an operator what to do when there is no server, or one that could lose donations.
 */
export async function openDatabase(source: DatabaseSource): Promise<Database> {
  const server = source.databaseUrl ? externalServer(source.databaseUrl) : await openEmbedded(source);
  const database = databaseOn(server, source.log);
  try {
    await requireReachable(database);
    await requireSuitable(database.knex);
    return database;
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

async function requireReachable({ knex, url }: Database): Promise<void> {
  const began = performance.now();
  for (;;) {
    try {
      return void (await knex.raw("select 1"));
    } catch (cause) {
      if (!isTimeout(cause) || performance.now() - began > slowServerMs) throw unreachable(url, cause);
    }
  }
}

/** Time-outs alone are unavailability without a code. */
const isTimeout = (error: unknown): boolean => isUnavailable(error) && describeFailure(error).code === undefined;

/** The error keeps the code of its cause, so that `isUnavailable` recognises a server that may still start. */
function unreachable(url: string, cause: unknown): Error {
  const { code, message } = describeFailure(cause);
  const { host, pathname } = new URL(url);
  const advice = "Check DATABASE_URL, and that the server runs and accepts connections of this program.";
  return Object.assign(new Error(`PostgreSQL at ${host}${pathname} cannot be used: ${message}. ${advice}`, { cause }), { code });
}

function databaseOn({ url, release }: Server, log: Logger): Database {
  const opened: { name: string; knex: Knex }[] = [];
  const pool = (options: PoolOptions) => {
    const created = createPool(url, options, log);
    opened.push({ name: options.applicationName ?? "", knex: created });
    return created;
  };
  let closing: Promise<void> | undefined;
  const close = async () => {
    await Promise.all(opened.map(({ knex }) => knex.destroy()));
    await release();
  };
  const poolsByName = () => Object.fromEntries(opened.map(({ name, knex }) => [name, knex]));
  return { url, knex: pool(pools.general), pool, pools: poolsByName, close: () => (closing ??= close()) };
}
