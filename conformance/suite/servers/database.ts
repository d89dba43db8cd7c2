// A fresh database for a server, and what its tables hold.

import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Operator, target } from "../values/target.ts";
import { createOnNodes, dropOnNodes } from "./citus.ts";
import { withConnection } from "./cluster.ts";

/** A fresh database: environment variables that lead the server to it, and a function that drops it. */
export type Database = { env: Record<string, string>; drop: () => Promise<void> };

/** What a server has of the machine. Its other settings are those of the suite. */
export const inheritedEnvironment = (): Record<string, string> =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(PATH|HOME|USER|TMPDIR|PG.*)$/.test(name))) as Record<string, string>;

/** Creates a database on the PostgreSQL at `url`, or embedded in a new data directory. */
export const createDatabase = (url: string | undefined): Promise<Database> => (url ? createOnServer(url) : embedded());

/** Creates a database on the PostgreSQL at `url`: empty, or a copy of `template`, to which no client may be connected. */
export async function createOnServer(url: string, template = "template1"): Promise<Database> {
  const name = `namjai_conformance_${randomBytes(6).toString("hex")}`;
  const fresh = new URL(url);
  fresh.pathname = `/${name}`;
  if (process.env.DISTRIBUTE === "citus") {
    if (template !== "template1") throw new Error("a distributed database can't be copied: --servers 1");
    await createOnNodes(url, name);
    return { env: { DATABASE_URL: fresh.href, DISTRIBUTE: "citus" }, drop: () => dropOnNodes(url, name) };
  }
  await run(url, `create database ${name} template ${template}`);
  return { env: { DATABASE_URL: fresh.href, ...onStandby(fresh.pathname) }, drop: () => run(url, `drop database ${name} with (force)`) };
}

/** The same database on the standby that READ_DATABASE_URL names. */
function onStandby(pathname: string): Record<string, string> {
  const { READ_DATABASE_URL: url } = process.env;
  return url ? { READ_DATABASE_URL: Object.assign(new URL(url), { pathname }).href } : {};
}

async function embedded(): Promise<Database> {
  const directory = await mkdtemp(join(tmpdir(), "namjai-conformance-"));
  await chmod(directory, 0o755); // PostgreSQL's own user must reach it
  return { env: { DATA_DIR: directory }, drop: () => rm(directory, { recursive: true, force: true }) };
}

/** Address of the database that the server's environment names: of the embedded one too, as long as that runs. */
export async function databaseUrl({ DATABASE_URL, DATA_DIR = "" }: Record<string, string>): Promise<string> {
  if (DATABASE_URL) return DATABASE_URL;
  const read = (name: string): Promise<string> => readFile(join(DATA_DIR, "postgres", name), "utf8");
  const [password, lines] = [(await read("donations.password")).trim(), (await read("postmaster.pid")).split("\n")];
  return `postgres://postgres:${password}@127.0.0.1:${lines[3]}/postgres?sslmode=disable`;
}

async function run(url: string, statement: string): Promise<void> {
  await withConnection(url, (client) => client.query(statement));
}

// Reads and changes tables of our own server directly, where no operation can.

/** A row of a table, as the database client reads it: `bytea` as Buffers. */
type Row = Record<string, unknown>;

/** Rows of each table, unordered; `limit`: maximum number of rows per table. */
export async function rowsOfTables(operator: Operator, limit?: number): Promise<Map<string, Row[]>> {
  return onDatabase(operator, async (client) => {
    const tables = new Map<string, Row[]>();
    for (const table of await tableNames(client)) {
      const { rows } = await client.query(`select * from ${pg.escapeIdentifier(table)} limit $1`, [limit ?? null]);
      tables.set(table, rows);
    }
    return tables;
  });
}

/**
 * Simulates that time passes: moves every time in these tables into the past (`tables`: a pattern of SQL), by default in those of codes,
 * grants and refresh tokens. Access tokens contain their own times and do not change.
 */
export async function letTimePass(operator: Operator, seconds: number, tables = "oauth\\_%"): Promise<void> {
  await onDatabase(operator, async (client) => {
    const { rows } = await client.query(
      "select table_name, column_name from information_schema.columns where table_schema = 'public' and table_name like $1 and data_type = 'timestamp with time zone'",
      [tables],
    );
    for (const { table_name, column_name } of rows) {
      const [table, column] = [pg.escapeIdentifier(table_name), pg.escapeIdentifier(column_name)];
      await client.query(`update ${table} set ${column} = ${column} - $1 * interval '1 second'`, [seconds]);
    }
  });
}

/** Lets this time pass for what the table of our own server holds; on a server of someone else it waits. */
export async function passTime(seconds: number, table: string): Promise<void> {
  const { operator } = target();
  await (operator ? letTimePass(operator, seconds, table) : sleep(seconds * 1000));
}

/** Makes a waiting alert so much older. */
export async function ageAlert(operator: Operator, donationId: string, seconds: number): Promise<void> {
  await onDatabase(operator, (client) =>
    client.query("update alerts set received_at = now() - $2 * interval '1 second' where donation_id = $1", [donationId, seconds]),
  );
}

async function tableNames(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query("select tablename from pg_tables where schemaname = 'public' order by 1");
  return rows.map(({ tablename }) => tablename);
}

const onDatabase = async <T>({ env }: Operator, work: (client: pg.Client) => Promise<T>): Promise<T> =>
  withConnection(await databaseUrl(env), work);
