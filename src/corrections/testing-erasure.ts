// A streamer with donations, and the eraser as the program makes it, for tests.

import { readdir, readFile, realpath } from "node:fs/promises";
import { join } from "node:path";
import type { Knex } from "knex";
import { newId } from "../db/ids.ts";
import { makeSealer } from "../db/secrets.ts";
import { silent, temporaryDirectory, useDatabase } from "../db/testing.ts";
import type { NewDonation } from "../donations/donation.ts";
import { makeWriter, type Writer } from "../donations/record/writer.ts";
import { newStreamer, someDonation } from "../donations/testing.ts";
import { openErasures } from "./open-erasures.ts";

/** Opens the fixture for the tests of this file, on a database of its own. */
export function useErasureFixture(): ErasureFixture {
  const fixture = {} as ErasureFixture;
  useDatabase(async ({ knex, pool }) => {
    Object.assign(fixture, await openErasureFixture(knex, { pool: pool({ max: 4, lockTimeoutMs: 250 }) }));
  });
  return fixture;
}

export type ErasureFixture = Awaited<ReturnType<typeof openErasureFixture>>;

/** `pool` is the writer's. The journal lies in a directory of its own unless one is given. */
export async function openErasureFixture(knex: Knex, { pool = knex, journal }: { pool?: Knex; journal?: string } = {}) {
  const erasureJournal = journal ?? join(await temporaryDirectory(), "erasures.ndjson");
  const writer: Writer = makeWriter({ pool, log: silent });
  const erasures = await openErasures({ knex, erasureJournal, sealer: makeSealer(null) });
  const donate = async (streamerId: string, members: Partial<NewDonation> = {}) =>
    (await writer.record(someDonation(streamerId, { id: newId(), ...members }))).donation;
  return { ...erasures, pool, writer, newStreamer: () => newStreamer(knex), donate, erasureJournal };
}

/** The same database, on which `act` runs before every raw statement. What it throws, the statement throws. */
export function beforeStatements(knex: Knex, act: (sql: string, values: unknown) => Promise<void>): Knex {
  const acting = <On extends Knex>(on: On): On => {
    const raw = async (sql: string, values: never) => {
      await act(sql, values);
      return on.raw(sql, values);
    };
    const transaction = (work: (transaction: Knex.Transaction) => Promise<unknown>) => on.transaction((trx) => work(acting(trx)));
    const replaced = new Map<unknown, unknown>(Object.entries({ raw, transaction }));
    return new Proxy(on, { get: (target, name) => replaced.get(name) ?? Reflect.get(target, name) });
  };
  return acting(knex);
}

/** Whether a statement is the one that holds the roll-ups of a streamer. */
export function holdsFolds(sql: string): boolean {
  return sql.includes("rolled_sequence as rolled from report_progress");
}

// Looks for what somebody wrote in the files of a directory, for tests of erasures.

/** The bytes of texts in every encoding that a database or a log may have them in. */
export function bytesOf(texts: readonly string[]): Buffer[] {
  return texts.flatMap((text) => [Buffer.from(text, "utf8"), Buffer.from(text, "utf16le"), Buffer.from(text, "utf16le").swap16()]);
}

/** The bytes of numbers that stand side by side, as PostgreSQL stores them in an int4 array: three of them are found nowhere by chance. */
export function bytesOfGrams(grams: readonly number[]): Buffer[] {
  const stored = Buffer.from(Int32Array.from(grams).buffer);
  return grams.slice(2).map((_, index) => stored.subarray(4 * index, 4 * index + 12));
}

/** The files of a data directory, and of its cluster where that is elsewhere, that contain one of these. */
export async function filesWith(dataDir: string, traces: readonly Buffer[]): Promise<string[]> {
  const [directory, cluster] = [await realpath(dataDir), await realpath(join(dataDir, "postgres"))];
  const directories = cluster.startsWith(directory) ? [directory] : [directory, cluster];
  const found: string[] = [];
  for (const file of (await Promise.all(directories.map(filesBelow))).flat()) {
    const content = await readFile(file).catch(ifDeleted);
    if (traces.some((trace) => content.includes(trace))) found.push(file);
  }
  return found;
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

/** PostgreSQL deletes files while they are listed. */
function ifDeleted(error: NodeJS.ErrnoException): Buffer {
  if (error.code !== "ENOENT") throw error;
  return Buffer.alloc(0);
}
