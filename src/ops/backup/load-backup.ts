// Loads a backup into an empty database: runs the migrations that it was made under, and copies its rows, all of them or none.

import { once } from "node:events";
import { createReadStream } from "node:fs";
import { pipeline, type Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import type { Database } from "../../db/database.ts";
import { migrate, migrateTo, rejectUnknown } from "../../db/migrator/migrate.ts";
import { connect, endOfCopy, firstLine, journalMark, lastLine, linesOf, listTables, type Manifest, quoted } from "./format.ts";

/** `journal`: lines of the journal of erasures that the backup has. */
export type Loaded = Readonly<{ madeAt: string; tables: number; journal: readonly string[] }>;

const batchBytes = 256 * 1024;

/** Reads the file to its end. Throws an Error when it is no whole backup as it was written, or one of a newer version. */
export async function checkBackup(file: string): Promise<void> {
  const lines = unzip(file);
  const { migrations } = await readManifest(lines, file);
  await rejectUnknown(migrations);
  await readAll(lines, file, (statement) => checkRows(lines, file, statement));
}

/** Throws as `checkBackup`, and when the database refuses a row; it has none of the rows then. */
export async function loadBackup(database: Database, file: string): Promise<Loaded> {
  const lines = unzip(file);
  const manifest = await readManifest(lines, file);
  await migrateTo(database, manifest.migrations);
  const client = await connect(database.url, "donations restore");
  try {
    await client.query("begin");
    await client.query("set local idle_in_transaction_session_timeout = 0; set local statement_timeout = 0");
    const known = (await listTables(client)).map(({ name }) => quoted(name));
    for (const table of known) await client.query(`alter table ${table} disable trigger user`); // the audit log's refuse to truncate it
    await client.query(`truncate ${known.join(", ")}`); // migrations have inserted rows of their own
    const read = await readAll(lines, file, (statement) => copyTable(client, statement, lines));
    for (const table of known) await client.query(`alter table ${table} enable trigger user`);
    await client.query("commit");
    await migrate(database);
    await client.query("analyze");
    return { madeAt: manifest.madeAt, ...read };
  } finally {
    await client.end().catch(() => {}); // the connection may be lost
  }
}

type Lines = AsyncGenerator<Buffer>;

async function* unzip(file: string): Lines {
  const script = createGunzip();
  pipeline(createReadStream(file), script, () => {}); // an error reaches whoever reads
  try {
    yield* linesOf(script);
  } catch (error) {
    throw new Error(`${file} can't be read as a backup: ${(error as Error).message}`, { cause: error });
  }
}

async function readManifest(lines: Lines, file: string): Promise<Manifest> {
  const [first, second] = [await lines.next(), await lines.next()];
  const manifest = String(first.value) === firstLine ? parseManifest(String(second.value)) : null;
  if (!manifest) throw new Error(`${file} is no backup of this program`);
  return manifest;
}

function parseManifest(line: string): Manifest | null {
  try {
    const { madeAt, migrations } = JSON.parse(line.slice("-- ".length)) as Manifest;
    return typeof madeAt === "string" && Array.isArray(migrations) ? { madeAt, migrations } : null;
  } catch {
    return null;
  }
}

/** `readTable` reads the lines of a table's rows up to their end. */
async function readAll(lines: Lines, file: string, readTable: (statement: string) => Promise<void>): Promise<Omit<Loaded, "madeAt">> {
  const journal: string[] = [];
  let tables = 0;
  for (let next = await lines.next(); !next.done; next = await lines.next()) {
    const line = next.value.toString("utf8");
    if (line === lastLine) {
      // The checksum and the length of gzip stand behind the last line.
      if (!(await lines.next()).done) throw new Error(`${file} has lines behind its end`);
      return { tables, journal };
    }
    if (line.startsWith(journalMark)) journal.push(line.slice(journalMark.length));
    else if (/^copy "[^;]* from stdin;$/.test(line)) {
      await readTable(line.slice(0, -1));
      tables += 1;
    } else throw new Error(`${file} has a line that is no part of a backup: ${line.slice(0, 60)}`);
  }
  throw new Error(`${file} is not whole: its end is missing`);
}

/** Rows in the text format of COPY: a tab within a value is written as \\t. */
async function checkRows(lines: Lines, file: string, statement: string): Promise<void> {
  const columns = statement.split('", "').length;
  for (let next = await lines.next(); !isEndOfCopy(next); next = await lines.next()) {
    const values = countTabs(next.value) + 1;
    if (values !== columns) throw new Error(`${file} has a row of ${values} values where ${statement} has ${columns} columns`);
  }
}

function countTabs(row: Buffer): number {
  let count = 0;
  for (let at = row.indexOf(tab); at !== -1; at = row.indexOf(tab, at + 1)) count += 1;
  return count;
}

/** Resolves, or rejects, when the server has answered: a connection that is closed before goes on working there. */
async function copyTable(client: pg.Client, statement: string, lines: Lines): Promise<void> {
  const target = client.query(copyFrom(statement));
  const done = finished(target);
  done.catch(() => {});
  try {
    await copyRows(target, lines, done);
  } catch (error) {
    target.destroy(error as Error);
  }
  await done;
}

async function copyRows(target: Writable, lines: Lines, done: Promise<void>): Promise<void> {
  let batch: Buffer[] = [];
  let size = 0;
  for (let next = await lines.next(); !isEndOfCopy(next); next = await lines.next()) {
    batch.push(next.value, newline);
    size += next.value.length + 1;
    if (size < batchBytes) continue;
    await write(target, Buffer.concat(batch), done);
    [batch, size] = [[], 0];
  }
  target.end(Buffer.concat(batch));
}

const newline = Buffer.from("\n");
const tab = 9;

/** So is the end of a file that is cut there, which `readAll` then finds. */
function isEndOfCopy(next: IteratorResult<Buffer>): next is IteratorReturnResult<undefined> {
  return next.done || next.value.toString("latin1") === endOfCopy;
}

async function write(target: Writable, chunk: Buffer, done: Promise<void>): Promise<void> {
  if (!target.write(chunk)) await Promise.race([once(target, "drain"), done]);
}
