// Connection pools: how their sessions are set, what values they read, and how long they wait.

import knex, { type Knex } from "knex";
import pg from "pg";
import type { Logger } from "pino";
import { cutWhenUnanswered } from "./query-timeout.ts";

export type PoolOptions = {
  /** How many connections the pool opens at most. */
  max: number;
  /** How many callers may wait for a connection; any number when undefined. One more is rejected at once. */
  maxWaiting?: number;
  /** The name in `pg_stat_activity`. */
  applicationName?: string;
  /** Longest wait for a row or table lock; not limited when undefined. */
  lockTimeoutMs?: number;
  /** Longest run of one statement, by default 30 s; 0 is without limit. */
  statementTimeoutMs?: number;
  /** Longest pause inside an open transaction, by default 60 s; 0 is without limit. */
  idleInTransactionTimeoutMs?: number;
  /** Longest wait for a new connection, by default 4 s. */
  connectTimeoutMs?: number;
  /** Longest wait for the answer to a statement; its connection is then closed. When undefined, TCP decides. */
  answerTimeoutMs?: number;
  /** Further settings of its sessions, such as those of the planner. */
  settings?: Readonly<Record<string, string>>;
};

const defaultConnectTimeoutMs = 4_000;
/** Type ids of PostgreSQL (pg_type.oid). */
const int8 = 20;
const int8Array = 1016;
const numericArray = 1231;
const textArray: number = 1009;

/**
 * Creates a Knex pool on `url`. Its sessions use UTC; `int8` is read as a number while that is exact and as text beyond,
 * `numeric` (and arrays of it) always as text. No connection is opened before the first query.
 */
export function createPool(url: string, options: PoolOptions, log: Logger): Knex {
  const { answerTimeoutMs, connectTimeoutMs = defaultConnectTimeoutMs } = options;
  const pool = knex({
    client: "pg",
    connection: {
      connectionString: withSessionSettings(url, options),
      application_name: options.applicationName ?? "donations",
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      types: { getTypeParser: typeParser },
    },
    pool: {
      min: 0,
      max: options.max,
      afterCreate: (client: Parameters<typeof cutWhenUnanswered>[0], done: (error: null, client: unknown) => void) => {
        if (answerTimeoutMs !== undefined) cutWhenUnanswered(client, answerTimeoutMs);
        done(null, client);
      },
    },
    acquireConnectionTimeout: connectTimeoutMs + 1_000,
    // Otherwise Knex writes bindings, such as donators' names and messages, into the text of a failed statement.
    compileSqlOnError: false,
    log: knexLog(log),
  });
  if (options.maxWaiting !== undefined) limitWaiting(pool.client, options.maxWaiting);
  return pool;
}

type PoolClient = { pool?: { numPendingAcquires(): number }; acquireConnection(): Promise<unknown> };

/** Every query acquires its connection here. Neither Knex nor its pool has a setting for this limit. */
function limitWaiting(client: PoolClient, max: number): void {
  const acquire = client.acquireConnection.bind(client);
  client.acquireConnection = async () => {
    if ((client.pool?.numPendingAcquires() ?? 0) >= max) throw tooManyWaiting(max);
    return acquire();
  };
}

/** The error of a caller who is one too many; it counts as unavailable. */
export function tooManyWaiting(max: number): Error {
  return Object.assign(new Error(`${max} callers already wait for a connection`), { code: "53300" }); // too_many_connections
}

/** Throws an Error without the address: the message of `pg` may quote it, password included. */
export function parseDatabaseUrl(url: string): URL {
  if (!/^(postgres|postgresql):\/\//.test(url) || !URL.canParse(url))
    throw new Error("DATABASE_URL is not a PostgreSQL address: write it as postgres://user:password@host:5432/database");
  return new URL(url);
}

/** Adds our settings to `options` of the URL: given beside the URL, `pg` would let the URL's own `options` replace them. */
function withSessionSettings(url: string, options: PoolOptions): string {
  const target = parseDatabaseUrl(url);
  const settings = {
    timezone: "UTC",
    datestyle: "ISO",
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 60_000,
    ...(options.lockTimeoutMs === undefined ? {} : { lock_timeout: options.lockTimeoutMs }),
    ...options.settings,
  };
  const ourOptions = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const givenOptions = target.searchParams.get("options") ?? "";
  target.searchParams.set("options", [givenOptions, ...ourOptions].join(" ").trim());
  return target.href;
}

function typeParser(oid: number, format: string): (value: string) => unknown {
  if (format === "binary") return pg.types.getTypeParser(oid, "binary");
  if (oid === int8) return readInt8;
  if (oid === int8Array) return (value) => readTexts(value).map((item) => (item === null ? null : readInt8(item)));
  if (oid === numericArray) return readTexts;
  return pg.types.getTypeParser(oid, "text");
}

function readInt8(value: string): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function readTexts(value: string): (string | null)[] {
  return pg.types.getTypeParser(textArray, "text")(value);
}

function knexLog(log: Logger) {
  return {
    debug: () => {},
    deprecate: () => {},
    warn: (message: unknown) => log.debug({ knex: String(message) }, "knex warns"),
    error: (message: unknown) => log.debug({ knex: String(message) }, "knex fails"),
  };
}
