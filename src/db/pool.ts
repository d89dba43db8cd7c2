import knex, { type Knex } from "knex";
import pg from "pg";
import type { Logger } from "pino";
import { cutWhenSilent } from "./query-timeout.ts";

export interface PoolOptions {
  /** Most connections the pool opens. */
  max: number;
  /** Most callers that may wait for a connection; without it as many as come. One more is refused at once. */
  maxWaiting?: number;
  /** As `pg_stat_activity` shows it. */
  applicationName?: string;
  /** Longest wait for a row or table lock; without it the wait has no bound of its own. */
  lockTimeoutMs?: number;
  /** Longest run of one statement, 30 s unless told; 0 is for ever. */
  statementTimeoutMs?: number;
  /** Longest pause inside an open transaction, 60 s unless told; 0 is for ever. */
  idleInTransactionTimeoutMs?: number;
  /** Longest wait for a new connection, 4 s unless told. */
  connectTimeoutMs?: number;
  /** Longest wait for the answer to a statement, then its connection is cut; without it that of TCP. */
  answerTimeoutMs?: number;
}

const CONNECT_TIMEOUT_MS = 4_000;
const INT8 = 20;
const INT8_ARRAY = 1016;
const NUMERIC_ARRAY = 1231;
const TEXT_ARRAY: number = 1009;

/**
 * A Knex pool on `url`. Its sessions speak UTC; `int8` is read as a number while that is exact and as text beyond,
 * `numeric` (and arrays of it) always as text. It opens no connection before the first query.
 */
export function createPool(url: string, options: PoolOptions, log: Logger): Knex {
  const { answerTimeoutMs, connectTimeoutMs = CONNECT_TIMEOUT_MS } = options;
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
      afterCreate: (client: Parameters<typeof cutWhenSilent>[0], done: (error: null, client: unknown) => void) => {
        if (answerTimeoutMs !== undefined) cutWhenSilent(client, answerTimeoutMs);
        done(null, client);
      },
    },
    acquireConnectionTimeout: connectTimeoutMs + 1_000,
    // Otherwise Knex puts bindings, that is donors' names and words, at each question mark of a failed statement's text.
    compileSqlOnError: false,
    log: quietly(log),
  });
  if (options.maxWaiting !== undefined) boundWaiting(pool.client, options.maxWaiting);
  return pool;
}

type PoolClient = { pool?: { numPendingAcquires(): number }; acquireConnection(): Promise<unknown> };

// Neither Knex nor its pool has a setting for it, and every query goes through here.
function boundWaiting(client: PoolClient, most: number): void {
  const acquire = client.acquireConnection.bind(client);
  client.acquireConnection = async () => {
    if ((client.pool?.numPendingAcquires() ?? 0) >= most) throw tooManyWaiting(most);
    return acquire();
  };
}

function tooManyWaiting(most: number): Error {
  return Object.assign(new Error(`${most} wait for a connection already`), { code: "53300" }); // too_many_connections
}

/** What `pg` throws when a connection string cannot be read may quote it, password included; this never does. */
export function parseDatabaseUrl(url: string): URL {
  if (!/^(postgres|postgresql):\/\//.test(url) || !URL.canParse(url))
    throw new Error("DATABASE_URL is not a PostgreSQL address: write it as postgres://user:password@host:5432/database");
  return new URL(url);
}

// In the URL rather than beside it: `pg` lets a URL's own `options` replace ours, and here they join.
function withSessionSettings(url: string, options: PoolOptions): string {
  const target = parseDatabaseUrl(url);
  const settings = {
    timezone: "UTC",
    datestyle: "ISO",
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 60_000,
    ...(options.lockTimeoutMs === undefined ? {} : { lock_timeout: options.lockTimeoutMs }),
  };
  const ours = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const theirs = target.searchParams.get("options") ?? "";
  target.searchParams.set("options", [theirs, ...ours].join(" ").trim());
  return target.href;
}

function typeParser(oid: number, format: string): (value: string) => unknown {
  if (format === "binary") return pg.types.getTypeParser(oid, "binary");
  if (oid === INT8) return readInt8;
  if (oid === INT8_ARRAY) return (value) => readTexts(value).map((item) => (item === null ? null : readInt8(item)));
  if (oid === NUMERIC_ARRAY) return readTexts;
  return pg.types.getTypeParser(oid, "text");
}

function readInt8(value: string): number | string {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function readTexts(value: string): (string | null)[] {
  return pg.types.getTypeParser(TEXT_ARRAY, "text")(value);
}

function quietly(log: Logger) {
  return {
    debug: () => {},
    deprecate: () => {},
    warn: (message: unknown) => log.debug({ knex: String(message) }, "knex warns"),
    error: (message: unknown) => log.debug({ knex: String(message) }, "knex fails"),
  };
}
