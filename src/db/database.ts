import type { Knex } from "knex";
import type { Logger } from "pino";
import { describeFailure } from "../telemetry/describe-failure.ts";
import { openEmbedded } from "./embedded.ts";
import { createPool, type PoolOptions, parseDatabaseUrl } from "./pool.ts";
import { pools } from "./pools.ts";
import { requireSuitable } from "./requirements.ts";

export interface DatabaseSource {
  /** A server of one's own; the embedded PostgreSQL is used when it is unset. */
  databaseUrl?: string | undefined;
  /** Where the embedded PostgreSQL keeps its data. */
  dataDir: string;
  log: Logger;
}

export interface Database {
  /** Holds the password: never log it. */
  url: string;
  /** The general pool. */
  knex: Knex;
  /** Another pool on the same database, closed together with it. */
  pool(options: PoolOptions): Knex;
  /** All of them, by application name. */
  pools(): Readonly<Record<string, Knex>>;
  /** Waits for running queries, closes every pool and leaves the embedded PostgreSQL. Repeated calls do nothing. */
  close(): Promise<void>;
}

/**
 * Connects to `databaseUrl`, or starts (or joins) the embedded PostgreSQL in `dataDir`.
 * Throws an Error fit for an operator to read when there is no server, or one that could lose donations.
 */
export async function openDatabase(source: DatabaseSource): Promise<Database> {
  const server = source.databaseUrl ? external(source.databaseUrl) : await openEmbedded(source);
  const database = overServer(server, source.log);
  try {
    await reach(database);
    await requireSuitable(database.knex);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

interface Server {
  url: string;
  release(): Promise<void>;
}

function external(url: string): Server {
  parseDatabaseUrl(url);
  return { url, release: async () => {} };
}

// The code stays on the error, so that `isUnavailable` can tell a server that may still come up.
async function reach({ knex, url }: Database): Promise<void> {
  try {
    await knex.raw("select 1");
  } catch (cause) {
    const { code, message } = describeFailure(cause);
    const { host, pathname } = new URL(url);
    const advice = "Check DATABASE_URL, and that the server runs and lets this program in.";
    throw Object.assign(new Error(`PostgreSQL at ${host}${pathname} cannot be used: ${message}. ${advice}`, { cause }), { code });
  }
}

function overServer({ url, release }: Server, log: Logger): Database {
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
  const named = () => Object.fromEntries(opened.map(({ name, knex }) => [name, knex]));
  return { url, knex: pool(pools.general), pool, pools: named, close: () => (closing ??= close()) };
}
