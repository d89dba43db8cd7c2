// Builds a database of an earlier schema with data, starts the present server on it, and collects its answers.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { read, utils } from "@e965/xlsx";
import type { Database } from "../../db/database.ts";
import { migrate, migrationsDirectory, readMigrations } from "../../db/migrator/migrate.ts";
import { copyMigrations, query, removeDataDir, type TemporaryServer, temporaryDirectory } from "../../db/testing.ts";
import { keys, requestsByOperation } from "./questions.ts";

/** The answers by request: JSON without the time of reading, the rows of a workbook, or bytes. */
export type Answers = Record<string, unknown>;

type Start = {
  /** The last migration of the earlier schema. */
  migration: string;
  /** Statements to run between the data and the upgrade. */
  statements?: string;
};

/** Makes a database of an earlier schema, starts the server, which migrates it, and sends every request. */
export async function answersAfter(server: TemporaryServer, start: Start): Promise<Answers> {
  const database = await earlierDatabase(server, start);
  await database.close();
  return whileServing(database.url, answersOf);
}

/** Opens a database of that schema with data.sql in it. */
export async function earlierDatabase(server: TemporaryServer, { migration, statements = "" }: Start): Promise<Database> {
  const database = await server.freshDatabase();
  const earlier = await migrationsUpTo(migration);
  await migrate(database, earlier).finally(() => removeDataDir(earlier));
  await query(database.url, (await readFile(join(import.meta.dirname, "data.sql"), "utf8")) + statements);
  return database;
}

async function migrationsUpTo(last: string): Promise<string> {
  const migrations = await readMigrations(migrationsDirectory);
  if (!migrations.some(({ name }) => name === last)) throw new Error(`there is no migration ${last}`);
  const folder = await temporaryDirectory();
  await copyMigrations(folder, (name) => name <= last);
  return folder;
}

/** Starts the server on the database, and stops it after `work`. Rejects with its log when it does not start. */
export async function whileServing<Result>(databaseUrl: string, work: (address: string) => Promise<Result>): Promise<Result> {
  // A speech engine that is never called: without one, speech cannot be read.
  const { NODE_COMPILE_CACHE } = process.env;
  const settings = { NODE_COMPILE_CACHE, PORT: "0", DATABASE_URL: databaseUrl, RATE_LIMITS: "off", TTS_URL: "http://127.0.0.1:9/" };
  const child = spawn(process.execPath, [join(import.meta.dirname, "../../main.ts")], {
    env: settings,
    stdio: ["ignore", "ignore", "pipe"],
  });
  try {
    return await work(await addressOf(child));
  } finally {
    const ended = child.exitCode === null && once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  }
}

/** The answers of the server at this address to every request. */
export async function answersOf(address: string): Promise<Answers> {
  const answers: Answers = {};
  for (const path of Object.values(requestsByOperation).flat()) answers[path] = await request(address, path);
  return answers;
}

/** Its log, of which the rest is read as well: a full pipe would stop the server. */
async function addressOf(child: ChildProcess): Promise<string> {
  let output = "";
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  child.stderr!.setEncoding("utf8").on("data", (part) => {
    output += part;
    const address = /Listening on (\S+)/.exec(output)?.[1];
    if (address) resolve(address);
  });
  child.once("close", () => reject(new Error(`the server did not start: ${output}`)));
  return promise;
}

async function request(address: string, path: string): Promise<unknown> {
  const key = path.startsWith("/api/v1/overlay/") ? keys.overlay : keys.api;
  const reply = await fetch(address + path, { headers: { Authorization: `Bearer ${key}` } });
  const type = reply.headers.get("Content-Type") ?? "";
  if (/json/.test(type)) return { status: reply.status, body: withoutVolatileMembers(await reply.text()) };
  const bytes = Buffer.from(await reply.arrayBuffer());
  return { status: reply.status, body: type.includes("spreadsheet") ? rowsOf(bytes) : bytes.toString("base64") };
}

/** Removes what differs between runs, beside the server's address: ids of requests in problems, cursors, the times at which aggregates were read, and periods around them. */
function withoutVolatileMembers(body: string): unknown {
  const drop = new Set(["asOf", "requestId", "nextCursor", "today", "thisWeek", "thisMonth", "thisYear"]);
  return JSON.parse(body.replace(/http:\/\/127\.0\.0\.1:\d+/g, ""), (name, value) => (drop.has(name) ? undefined : value));
}

/** The donations of an export, without its summary, which contains the time of the export. */
function rowsOf(workbook: Buffer): unknown[] {
  const { SheetNames, Sheets } = read(workbook);
  return utils.sheet_to_json(Sheets[SheetNames[0] ?? ""] ?? {}, { raw: false, defval: "" });
}
