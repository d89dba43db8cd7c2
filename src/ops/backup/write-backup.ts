// Writes database and journal of erasures into one file, from one snapshot of the database, in constant memory. COPY does it and not pg_dump:
// the embedded PostgreSQL has no pg_dump, and another version's refuses a newer server.

import { createWriteStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { connect, endOfCopy, firstLine, journalMark, lastLine, listTables, type Manifest, quoted } from "./format.ts";

type Written = Readonly<{ file: string; tables: number; bytes: number; journal: number }>;

/** `journal`: entries of the journal of erasures, read after the snapshot is taken. The file is there as a whole or not at all. */
export async function writeBackup(url: string, file: string, journal: () => Promise<readonly object[]>): Promise<Written> {
  const client = await connect(url, "donations backup");
  const partial = `${file}.partial`;
  try {
    await client.query("begin isolation level repeatable read read only");
    await client.query("set local idle_in_transaction_session_timeout = 0; set local statement_timeout = 0");
    const tables = await listTables(client);
    const manifest = await readManifest(client); // takes the snapshot
    const entries = await journal();
    await pipeline(
      Readable.from(scriptOf(client, { tables, manifest, entries })),
      createGzip(),
      createWriteStream(partial, { mode: 0o600 }),
    );
    const bytes = await syncFile(partial);
    await rename(partial, file);
    return { file, tables: tables.length, bytes, journal: entries.length };
  } catch (error) {
    await rm(partial, { force: true });
    throw new Error(`the backup failed, and ${file} was not written: ${(error as Error).message}`, { cause: error });
  } finally {
    await client.end().catch(() => {}); // the connection may be lost
  }
}

type Content = { tables: Awaited<ReturnType<typeof listTables>>; manifest: Manifest; entries: readonly object[] };

async function* scriptOf(client: pg.Client, { tables, manifest, entries }: Content): AsyncGenerator<Buffer> {
  const line = (text: string) => Buffer.from(`${text}\n`);
  yield line(firstLine);
  yield line(`-- ${JSON.stringify(manifest)}`);
  for (const { name, columns } of tables) {
    const target = `${quoted(name)} (${columns.map(quoted).join(", ")})`;
    yield line(`copy ${target} from stdin;`);
    for await (const chunk of client.query(copyTo(`copy ${target} to stdout`))) yield chunk as Buffer;
    yield line(endOfCopy);
  }
  for (const entry of entries) yield line(`${journalMark}${JSON.stringify(entry)}`);
  yield line(lastLine);
}

async function readManifest(client: pg.Client): Promise<Manifest> {
  const { rows } = await client.query<{ name: string }>("select name from schema_migrations order by name");
  return { madeAt: new Date().toISOString(), migrations: rows.map(({ name }) => name) };
}

async function syncFile(file: string): Promise<number> {
  const handle = await open(file, "r");
  try {
    await handle.sync();
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}
