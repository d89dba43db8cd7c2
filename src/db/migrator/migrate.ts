// Runs the migrations of the database, forward only.

import { createHash } from "node:crypto";
import { type Dirent, readFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join, parse } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import type { Client, DatabaseError } from "pg";
import { distribute } from "../citus/distribute.ts";
import { adviceOn, cannotBeUsed } from "../connection-advice.ts";
import type { Database } from "../database.ts";
import { isLockTimeout } from "../failures.ts";

/** The folder of the migrations. */
export const migrationsDirectory = join(import.meta.dirname, "../migrations");

/**
 * Brings the schema up to date. Any number of processes may call it at once: one migrates, the others wait.
 * Throws an Error when a migration fails (with file and line; all pending ones are rolled back, unless one of them runs without a
 * transaction), when it gets no lock for five minutes, when an applied migration was edited later, when a checkout before 1.0.0 has made
 * the database, and when a newer version of the program has migrated it and this one cannot run on that schema. Tables of a database that is
 * distributed are distributed afterwards.
 */
export async function migrate(database: Database, directory: string = migrationsDirectory): Promise<void> {
  const migrations = await readMigrations(directory);
  await apply(database, migrations).catch((error: DatabaseError) => {
    throw adviceOn("DATABASE_URL", error) === null ? error : cannotBeUsed("DATABASE_URL", database.url, error);
  });
}

/** Brings an empty database to the schema that these migrations make, for a backup that was made under it. Throws as `migrate`. */
export async function migrateTo(database: Database, names: readonly string[]): Promise<void> {
  await rejectUnknown(names);
  const known = await readMigrations(migrationsDirectory);
  await apply(
    database,
    known.filter(({ name }) => names.includes(name)),
  );
}

/** Throws an Error when a backup was made before 1.0.0, or under migrations that this version of the program does not have. */
export async function rejectUnknown(names: readonly string[]): Promise<void> {
  const known = (await readMigrations(migrationsDirectory)).map(({ name }) => name);
  if (names.length > 0 && !names.includes(known[0] ?? ""))
    throw new Error("The backup was made by a checkout before 1.0.0, whose tables differ: restore it there, with the same checkout.");
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`The backup was made by a newer version of the program: this one lacks the migration ${unknown.join(", ")}.`);
}

async function apply(database: Database, migrations: readonly Migration[]): Promise<void> {
  const pool = database.pool({
    max: 2, // one that keeps the lock, and one that migrates
    applicationName: "donations migrate",
    statementTimeoutMs: 0,
    idleInTransactionTimeoutMs: 0,
  });
  try {
    await withMigrationLock(pool, async () => {
      const applied = await readApplied(pool);
      rejectIncompatible(applied, migrations);
      rejectEdited(applied, migrations);
      await retryWhileLocked(() => runPending(pool, migrations));
      await retryWhileLocked(() => distribute(pool));
    });
  } finally {
    await pool.destroy();
  }
}

/**
 * The transaction only keeps one connection and its lock, which a killed process releases. Waiting processes ask again and again: a statement
 * that waits in the database has a snapshot, and `create index concurrently` of the one that migrates would wait for it for ever.
 */
function withMigrationLock(pool: Knex, work: () => Promise<void>): Promise<void> {
  return pool.transaction(async (transaction) => {
    const take = "select pg_try_advisory_xact_lock(hashtextextended('donations schema migrations', 0)) as taken";
    while (!(await transaction.raw(take)).rows[0].taken) await sleep(200);
    await work();
  });
}

/** How long a migration tries to get its locks while others use the tables. */
const maxLockWaitMs = 5 * 60_000;

/** Repeats the work for as long as it fails because somebody else holds a lock on a table. */
async function retryWhileLocked(work: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + maxLockWaitMs;
  while (true) {
    try {
      return await work();
    } catch (error) {
      if (!isLockTimeout((error as Error).cause ?? error)) throw error;
      if (performance.now() > deadline) throw new Error(`${(error as Error).message} (repeated for five minutes)`, { cause: error });
      await sleep(1_000 + Math.random() * 1_000); // those who waited behind it go first
    }
  }
}

/** All in one transaction, or one after the other when one of them has none. */
async function runPending(pool: Knex, migrations: readonly Migration[]): Promise<void> {
  const applied = new Set((await readApplied(pool)).map(({ name }) => name));
  const pending = migrations.filter(({ name }) => !applied.has(name));
  const runAll = async (knex: Knex, some: readonly Migration[]) => {
    for (const migration of some) await run(knex, migration);
  };
  if (pending.every(({ transaction }) => transaction)) return pool.transaction((transaction) => runAll(transaction, pending));
  for (const one of pending) await (one.transaction ? pool.transaction((transaction) => run(transaction, one)) : run(pool, one));
}

/** A statement that waits for a lock on a table makes all later statements on the table wait, so a migration gives up soon and is tried again. */
const lockTimeoutMs = 2_000;

async function run(knex: Knex, { name, files, sha256, compatibleSince, transaction }: Migration): Promise<void> {
  if (transaction) await knex.raw(`set local lock_timeout = ${lockTimeoutMs}`);
  await runFiles(knex, files);
  await knex<Applied>(table).insert({ name, sha256, compatible_since: compatibleSince });
}

/** Sends the texts to `pg` directly, because Knex would take every question mark for a binding. */
export async function runFiles(knex: Knex, files: readonly SqlFile[]): Promise<void> {
  const connection: Client = await knex.client.acquireConnection();
  try {
    for (const { file, text } of files)
      await connection.query(text).catch((cause: DatabaseError) => {
        throw new Error(`Migration ${file}${describeLine(text, cause.position)} failed: ${cause.message}`, { cause });
      });
  } finally {
    await knex.client.releaseConnection(connection);
  }
}

/** `, line 4,` for the position of an error in the text; "" when the database gave none. */
function describeLine(text: string, position: string | undefined): string {
  if (position === undefined) return "";
  const before = [...text].slice(0, Number(position));
  return `, line ${before.join("").split("\n").length},`;
}

// The migrations that a database has run: whether their files have changed since, and whether this program understands the schema.

type Applied = Readonly<{ name: string; sha256: string; compatible_since: string | null }>;

const table = "schema_migrations";

/** In their order. Creates the table that they are noted in, and throws an Error when a checkout before 1.0.0 has made the database. */
async function readApplied(pool: Knex): Promise<Applied[]> {
  if (await pool.schema.hasTable("knex_migrations"))
    throw new Error(
      "A checkout before 1.0.0 has made this database, and this version changes nothing in it: begin with an empty one (another DATABASE_URL " +
        "or DATA_DIR), and import the donations there that you export in the studio of the old checkout.",
    );
  await pool.raw(
    `create table if not exists ${table} (
       name text primary key, sha256 text not null, compatible_since text, applied_at timestamptz not null default now()
     )`,
  );
  return pool<Applied>(table).orderBy("name").select("name", "sha256", "compatible_since");
}

/** An applied migration must never be edited, because databases that have run it would differ from new ones. */
function rejectEdited(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const sums = new Map(migrations.map(({ name, sha256 }) => [name, sha256]));
  const edited = applied.filter(({ name, sha256 }) => sums.has(name) && sums.get(name) !== sha256);
  if (edited.length === 0) return;
  throw new Error(
    `The migration ${edited.map(({ name }) => name).join(", ")} was edited after it had been applied to this database, which does not have the change. ` +
      "Restore the file as it was, and write a new migration for the change. (If this database is only yours: start with an empty one.)",
  );
}

/**
 * During a rolling upgrade the version before goes on serving while the next one has migrated already, and a step back starts it again. Each
 * migration says since which migration programs understand the schema that it makes. Throws an Error when the database has migrations that
 * this program lacks, unless each of them is compatible with its newest.
 */
function rejectIncompatible(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const newest = numberOf(migrations.at(-1)?.name ?? "");
  const newer = applied.filter(({ name }) => !migrations.some((migration) => migration.name === name));
  const incompatible = newer.filter(({ compatible_since: since }) => since === null || since > newest);
  if (incompatible.length === 0) return;
  throw new Error(
    `The database has the migration ${incompatible.map(({ name }) => name).join(", ")}, which this version of the program does not have, ` +
      "and with which it cannot run: a newer version of the program has migrated it. Start that version or a later one, or restore a backup made before it.",
  );
}

// Reads the files of migrations.

/** A `.sql` file, or a folder of them that run in the order of their names. */
type Migration = Readonly<{
  /** That of its file or folder, such as `0001_baseline`. */
  name: string;
  files: readonly SqlFile[];
  /** Of its text, in hex. Line ends are ignored, because they depend on the system of the checkout. */
  sha256: string;
  /**
   * From the line `-- compatible since 0019`. Programs whose newest migration has this number or a later one run on the schema that the migration
   * makes. Null: earlier programs do not, and refuse to start.
   */
  compatibleSince: string | null;
  /** False with the line `-- without a transaction`: each of its files is one statement, such as `create index concurrently`. */
  transaction: boolean;
}>;

export type SqlFile = Readonly<{ file: string; text: string }>;

/** Reads the migrations of a directory, in order. Throws an Error when a file has another form of name, or when two have the same number. */
export async function readMigrations(directory: string): Promise<Migration[]> {
  const entries = (await readdir(directory, { withFileTypes: true })).filter(({ name }) => !name.startsWith("."));
  const migrations = await Promise.all(entries.map((entry) => readMigration(directory, entry)));
  migrations.sort((a, b) => (a.name < b.name ? -1 : 1));
  const duplicate = migrations.find(({ name }, index) => numberOf(name) === numberOf(migrations[index - 1]?.name ?? ""));
  if (duplicate)
    throw new Error(`Two migrations in ${directory} have the number ${numberOf(duplicate.name)}: give one of them the next free number.`);
  return migrations;
}

/** The number at the beginning of a migration's name, with its zeros. */
function numberOf(name: string): string {
  return name.slice(0, 4);
}

async function readMigration(directory: string, entry: Dirent): Promise<Migration> {
  const { name, ext } = parse(entry.name);
  if (!/^\d{4}_[a-z0-9_]+$/.test(name) || ext !== (entry.isDirectory() ? "" : ".sql"))
    throw new Error(`${entry.name} is not named like a migration: use 0001_what_it_does.sql.`);
  const names = entry.isDirectory() ? await readdir(join(directory, name)) : [];
  const parts = names.filter((file) => file.endsWith(".sql")).map((file) => join(name, file));
  const files = (entry.isDirectory() ? parts.sort() : [entry.name]).map((file) => ({
    file,
    text: readFileSync(join(directory, file), "utf8"), // one after the other: a process with few descriptors may not open all
  }));
  const text = files.map(({ text }) => text).join("\n");
  return {
    ...{ name, files },
    sha256: createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex"),
    compatibleSince: /^-- compatible since (\d{4})\b/m.exec(text)?.[1] ?? null,
    transaction: !/^-- without a transaction\b/m.test(text),
  };
}
