// A fresh database for a server.

import { randomBytes } from "node:crypto";
import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createOnNodes, dropOnNodes } from "./citus.ts";
import { withConnection } from "./with-connection.ts";

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
