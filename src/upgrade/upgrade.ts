// A database of an earlier schema with data in it, taken over by the server as it is now, and what that answers then.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { read, utils } from "@e965/xlsx";
import { migrate, migrationsDirectory } from "../db/migrate.ts";
import { listMigrations } from "../db/migration-files.ts";
import { query, removeDataDir, type TemporaryServer, temporaryDirectory } from "../db/testing.ts";
import { keys, questions } from "./questions.ts";

/** What was answered, by what was asked: JSON without the moment at which it was read, a workbook's rows, or bytes. */
export type Answers = Record<string, unknown>;

export type Start = {
  /** The last migration of the earlier schema. */
  migration: string;
  /** Statements to run between the data and the upgrade. */
  also?: string;
};

/** Fills a database of that schema with data.sql, starts the server on it, which migrates it, and asks every question. */
export async function answersAfter(server: TemporaryServer, { migration, also = "" }: Start): Promise<Answers> {
  const database = await server.freshDatabase();
  const earlier = await migrationsUpTo(migration);
  try {
    await migrate(database, earlier);
    await query(database.url, (await readFile(join(import.meta.dirname, "data.sql"), "utf8")) + also);
  } finally {
    await database.close();
    await removeDataDir(earlier);
  }
  return asked(database.url);
}

async function migrationsUpTo(last: string): Promise<string> {
  const names = await listMigrations(migrationsDirectory);
  if (!names.includes(last)) throw new Error(`there is no migration ${last}`);
  const folder = await temporaryDirectory();
  await cp(migrationsDirectory, folder, { recursive: true, filter: (file) => !/\d{4}_\w+\.(sql|ts)$/.test(file) || nameOf(file) <= last });
  return folder;
}

const nameOf = (file: string): string => /(\d{4}_\w+)\.\w+$/.exec(file)?.[1] ?? "";

async function asked(databaseUrl: string): Promise<Answers> {
  // An engine that nobody asks: without one there is no speech to read.
  const settings = { PORT: "0", DATABASE_URL: databaseUrl, RATE_LIMITS: "off", LOG_LEVEL: "error", TTS_URL: "http://127.0.0.1:9/" };
  const child = spawn(process.execPath, [join(import.meta.dirname, "../main.ts")], { env: settings, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const address = await addressOf(child);
    const answers: Answers = {};
    for (const path of Object.values(questions).flat()) answers[path] = await ask(address, path);
    return answers;
  } finally {
    const ended = child.exitCode === null && once(child, "exit");
    child.kill("SIGTERM");
    await ended;
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  const [said] = await Promise.race([once(child.stdout!, "data"), once(child, "exit")]);
  const address = /Listening on (\S+)/.exec(String(said))?.[1];
  if (!address) throw new Error(`the server did not start: ${said}`);
  return address;
}

async function ask(address: string, path: string): Promise<unknown> {
  const key = path.startsWith("/api/v1/overlay/") ? keys.overlay : keys.api;
  const reply = await fetch(address + path, { headers: { Authorization: `Bearer ${key}` } });
  const type = reply.headers.get("Content-Type") ?? "";
  if (/json/.test(type)) return { status: reply.status, body: timeless(await reply.json()) };
  const bytes = Buffer.from(await reply.arrayBuffer());
  return { status: reply.status, body: type.includes("spreadsheet") ? rowsOf(bytes) : bytes.toString("base64") };
}

/** Problems name their request, cursors are sealed by a key of the database, aggregates say when they were read. */
function timeless(body: unknown): unknown {
  const drop = new Set(["asOf", "requestId", "nextCursor"]);
  return JSON.parse(JSON.stringify(body, (name, value) => (drop.has(name) ? undefined : value)));
}

/** The donations of an export; its summary says when it was made. */
function rowsOf(workbook: Buffer): unknown[] {
  const { SheetNames, Sheets } = read(workbook);
  return utils.sheet_to_json(Sheets[SheetNames[0] ?? ""] ?? {}, { raw: false, defval: "" });
}
