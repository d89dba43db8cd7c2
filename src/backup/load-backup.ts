// Loads a backup into an empty database: runs the migrations that it was made under, and copies its rows, all of them or none.

import { once } from "node:events";
import { createReadStream } from "node:fs";
import type { Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import type { Database } from "../db/database.ts";
import { migrate, migrateTo } from "../db/migrator/migrate.ts";
import { endOfCopy, firstLine, journalMark, lastLine, linesOf, type Manifest } from "./format.ts";
import { listTables, quoted } from "./tables.ts";

/** `journal`: lines of the journal of erasures that the backup has. */
export type Loaded = Readonly<{ madeAt: string; tables: number; journal: readonly string[] }>;

const batchBytes = 256 * 1024;

/** Throws an Error when the file is no whole backup, or one of a newer version: the database is empty then. */
export async function loadBackup(database: Pick<Database, "pool" | "url">, file: string): Promise<Loaded> {
  const lines = linesOf(createReadStream(file).pipe(createGunzip()));
  const manifest = await readManifest(lines, file);
  await migrateTo(database, manifest.migrations);
  const client = new pg.Client({ connectionString: database.url, application_name: "donations restore" });
  await client.connect();
  try {
    await client.query("begin");
    await client.query("set local idle_in_transaction_session_timeout = 0; set local statement_timeout = 0");
    const known = (await listTables(client)).map(({ name }) => quoted(name));
    for (const table of known) await client.query(`alter table ${table} disable trigger user`); // the audit log's refuse to truncate it
    await client.query(`truncate ${known.join(", ")}`); // migrations have inserted rows of their own
    const read = await copyAll(client, lines, file);
    for (const table of known) await client.query(`alter table ${table} enable trigger user`);
    await client.query("commit");
    await migrate(database);
    await client.query("analyze");
    return { madeAt: manifest.madeAt, ...read };
  } finally {
    await client.end();
  }
}

async function readManifest(lines: AsyncGenerator<Buffer>, file: string): Promise<Manifest> {
  const [first, second] = [await lines.next(), await lines.next()];
  if (String(first.value) !== firstLine || !second.value) throw new Error(`${file} is no backup of this program`);
  return JSON.parse(String(second.value).slice("-- ".length)) as Manifest;
}

async function copyAll(client: pg.Client, lines: AsyncGenerator<Buffer>, file: string): Promise<Pick<Loaded, "tables" | "journal">> {
  const journal: string[] = [];
  let tables = 0;
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const line = next.value.toString("utf8");
    if (line === lastLine) return { tables, journal };
    if (line.startsWith(journalMark)) journal.push(line.slice(journalMark.length));
    else if (/^copy "[^;]* from stdin;$/.test(line)) {
      await copyTable(client, line.slice(0, -1), lines);
      tables += 1;
    } else throw new Error(`${file} has a line that is no part of a backup: ${line.slice(0, 60)}`);
  }
  throw new Error(`${file} is not whole: its end is missing`);
}

async function copyTable(client: pg.Client, statement: string, lines: AsyncGenerator<Buffer>): Promise<void> {
  const target = client.query(copyFrom(statement));
  const done = finished(target);
  done.catch(() => {});
  let batch: Buffer[] = [];
  let size = 0;
  for (let next = await lines.next(); !next.done && next.value.toString("latin1") !== endOfCopy; next = await lines.next()) {
    batch.push(next.value, newline);
    size += next.value.length + 1;
    if (size < batchBytes) continue;
    await write(target, Buffer.concat(batch), done);
    [batch, size] = [[], 0];
  }
  target.end(Buffer.concat(batch));
  await done;
}

const newline = Buffer.from("\n");

async function write(target: Writable, chunk: Buffer, done: Promise<void>): Promise<void> {
  if (!target.write(chunk)) await Promise.race([once(target, "drain"), done]);
}
