// Connection pools: how their sessions are set, what values they read, and how long they wait.

import knex, { type Knex } from "knex";
import pg, { type Client } from "pg";
import type { Logger } from "pino";
import { addressForDriver } from "../config-tls.ts";
import { asDatabaseError } from "../telemetry/describe-failure.ts";
import { aroundQuery, textOf, traceQueries } from "../telemetry/statements.ts";
import { activeTracing } from "../telemetry/tracing.ts";
import { type PoolTraits, plannerSettings, sizeOf } from "./citus/layout.ts";
import { noteFullDisk, noteSent } from "./failures.ts";
import { openSession } from "./session.ts";

export type PoolOptions = {
  /** How many connections the pool opens at most on one server. */
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
  /**
   * Longest wait for the answer to a statement; its connection is then closed. By default 5 s longer than the statement may run, and without
   * limit where that has none.
   */
  answerTimeoutMs?: number;
  /** Settings of the planner for its sessions. */
  settings?: Readonly<Record<string, string>>;
  /** Whether statements are prepared by name. When undefined, they are unless a connection pooler is found. */
  preparedStatements?: boolean | undefined;
  /** What is known of its database. */
  traits?: PoolTraits;
};

const defaultConnectTimeoutMs = 4_000;
const defaultStatementTimeoutMs = 30_000;
/** A server that runs says within this time that a statement ran too long. One that is stopped, or can't be reached, never says it. */
const answerGraceMs = 5_000;
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
  const { connectTimeoutMs = defaultConnectTimeoutMs, preparedStatements } = options;
  const [settings, answerTimeoutMs] = [settingsOf(options), answerTimeoutOf(options)];
  parseDatabaseUrl(url);
  const pool = knex({
    client: "pg",
    version: "15", // otherwise Knex asks the first connection of each pool, without a limit
    connection: {
      connectionString: addressForDriver(url),
      application_name: options.applicationName ?? "donations",
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      types: { getTypeParser: typeParser },
    },
    pool: {
      min: 0,
      max: sizeOf(options.traits?.layout, options),
      afterCreate: (client: PoolConnection, done: (error: unknown, client: unknown) => void) => {
        openWithin(client, connectTimeoutMs, () => openSession(client, { settings, preparedStatements })).then(
          () => {
            if (answerTimeoutMs !== null) cutWhenUnanswered(client, answerTimeoutMs);
            noteLostCommits(client);
            watchRefusals(client);
            if (activeTracing()) traceQueries(client, targetOf(url));
            done(null, client);
          },
          (error) => {
            client.end().catch(() => {});
            done(error, client);
          },
        );
      },
    },
    acquireConnectionTimeout: connectTimeoutMs + 1_000,
    // Otherwise Knex writes bindings, such as donators' names and messages, into the text of a failed statement.
    compileSqlOnError: false,
    log: knexLog(log),
  });
  pool.userParams = { traits: options.traits }; // transactions of the pool have it, too
  renewPlans(pool.client);
  if (options.maxWaiting !== undefined) limitWaiting(pool.client, options.maxWaiting);
  return pool;
}

function targetOf(url: string) {
  const { hostname, port, pathname } = new URL(url);
  return { address: hostname, port: Number(port || 5432), namespace: decodeURIComponent(pathname.slice(1)) };
}

type PoolConnection = Client & Parameters<typeof cutWhenUnanswered>[0];
type PoolClient = { pool?: { numPendingAcquires(): number }; acquireConnection(): Promise<PoolConnection> };

/** Every query acquires its connection here. Neither Knex nor its pool has a setting for this limit. */
function limitWaiting(client: PoolClient, max: number): void {
  const acquire = client.acquireConnection.bind(client);
  client.acquireConnection = async () => {
    if ((client.pool?.numPendingAcquires() ?? 0) >= max) throw tooManyWaiting(max);
    return acquire();
  };
}

/** How long a connection keeps its plans: a table that was empty may be long by then. Planning anew takes some milliseconds. */
const planAgeMs = 30_000;

/**
 * Plans of prepared statements and of triggers are kept with a connection until the database counts the rows of their tables again. Where it
 * does so late, or never, a plan that was made for short tables would go on reading them whole.
 */
function renewPlans(client: PoolClient): void {
  const acquire = client.acquireConnection.bind(client);
  const plannedAt = new WeakMap<PoolConnection, number>();
  client.acquireConnection = async () => {
    const connection = await acquire();
    const now = performance.now();
    const isOld = now - (plannedAt.get(connection) ?? now) >= planAgeMs;
    if (isOld || !plannedAt.has(connection)) plannedAt.set(connection, now);
    if (isOld) await connection.query("discard plans").catch(() => {}); // a lost connection fails its caller's statement
    return connection;
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

/** The limit of a pool's wait for an answer; null when there is none. */
function answerTimeoutOf({ answerTimeoutMs, statementTimeoutMs = defaultStatementTimeoutMs }: PoolOptions): number | null {
  return answerTimeoutMs ?? (statementTimeoutMs === 0 ? null : statementTimeoutMs + answerGraceMs);
}

function settingsOf(options: PoolOptions): Record<string, string> {
  const { statementTimeoutMs = defaultStatementTimeoutMs, idleInTransactionTimeoutMs = 60_000, lockTimeoutMs } = options;
  return {
    timezone: "UTC",
    datestyle: "ISO",
    statement_timeout: `${statementTimeoutMs}`,
    idle_in_transaction_session_timeout: `${idleInTransactionTimeoutMs}`,
    ...(lockTimeoutMs === undefined ? {} : { lock_timeout: `${lockTimeoutMs}` }),
    ...plannerSettings(options.traits?.layout, options.settings),
  };
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

// Limits the wait for an answer of the database. A stopped server or a broken network does not close the connection, and a query would wait
// for hours.

type Stream = { connection: { stream: { destroy: (error: Error) => void } } };
type Connection = Client & Stream;

/** Closes a new connection when `open` is not done within `ms`: a pooler takes connections while it has no server for their first statement. */
async function openWithin(client: Stream, ms: number, open: () => Promise<void>): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(timeout(ms)), ms);
  await open().finally(() => clearTimeout(timer));
}

const timeout = (ms: number): Error => new Error(`timeout expired: no answer within ${ms} ms`);

/** Closes the connection when a statement is not answered within `ms`. The statement then fails as on any lost connection. */
function cutWhenUnanswered(client: Connection, ms: number): void {
  const cut = () => client.connection.stream.destroy(timeout(ms));
  aroundQuery(client, () => {
    const timer = setTimeout(cut, ms).unref();
    return () => clearTimeout(timer);
  });
}

/** The error of a commit on a lost connection is one of which `isCommitUnknown` is true. */
export function noteLostCommits(client: Client): void {
  aroundQuery(client, (statement) => (/^\s*commit\b/i.test(textOf(statement)) ? (error) => noteSent(error, "commit") : null));
}

/**
 * Notes when a disk is full. A session that was opened while the database was read-only may stay so for ever: its pool closes it instead of
 * using it again.
 */
function watchRefusals(client: Client & { __knex__disposed?: unknown }): void {
  const note = (error?: unknown) => {
    if (error === undefined) return;
    noteFullDisk(error);
    if (asDatabaseError(error).code === "25006") client.__knex__disposed = error;
  };
  aroundQuery(client, () => note);
}
