// Runs the migrations of the database.

import { createHash } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import { distribute } from "../citus/distribute.ts";
import { isDistributed } from "../citus/distributed.ts";
import type { Database } from "../database.ts";
import { isLockTimeout } from "../failures.ts";
import { listMigrations, loadMigration, numberOf, readHead, readMigration } from "./migration-files.ts";

/** The folder of the migrations. */
export const migrationsDirectory = join(import.meta.dirname, "../migrations");

/**
 * Brings the schema up to date, forward only. Any number of processes may call it at once: one migrates, the others wait.
 * Throws an Error when a migration fails (with file and line; all pending ones are rolled back, unless one of them runs without a
 * transaction), when it gets no lock for five minutes, when an applied migration was edited later, when a checkout before 1.0.0 has made
 * the database, and when a newer version of the program has migrated it and this one cannot run on that schema. Tables of a database that is distributed are distributed afterwards.
 */
export async function migrate(database: Database, directory: string = migrationsDirectory): Promise<void> {
  await runMigrations(database, { directory, names: await listMigrations(directory) });
}

/** Brings an empty database to the schema that these migrations make, for a backup that was made under it. Throws as `migrate`. */
export async function migrateTo(database: Database, names: readonly string[]): Promise<void> {
  await rejectUnknown(names);
  const known = await listMigrations(migrationsDirectory);
  await runMigrations(database, { directory: migrationsDirectory, names: known.filter((name) => names.includes(name)) });
}

/** Throws an Error when a backup was made before 1.0.0, or under migrations that this version of the program does not have. */
export async function rejectUnknown(names: readonly string[]): Promise<void> {
  const known = await listMigrations(migrationsDirectory);
  if (isBeforeBaseline(names, known))
    throw new Error("The backup was made by a checkout before 1.0.0, whose tables differ: restore it there, with the same checkout.");
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`The backup was made by a newer version of the program: this one lacks the migration ${unknown.join(", ")}.`);
}

async function runMigrations(database: Database, { directory, names }: Schema): Promise<void> {
  const pool = database.pool({
    max: 3,
    applicationName: "donations migrate",
    statementTimeoutMs: 0,
    idleInTransactionTimeoutMs: 0,
  });
  try {
    await withMigrationLock(pool, async () => {
      await rejectIncompatible(pool, names);
      await rejectEdited(pool, directory, names);
      await retryWhileLocked(() => runPending(pool, { directory, names }));
      await recordChecksums(pool, directory, names);
      if (isDistributed(pool)) await retryWhileLocked(() => distribute(pool));
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
      if (!isFromLockTimeout(error)) throw error;
      if (performance.now() > deadline) throw new Error(`${(error as Error).message} (repeated for five minutes)`, { cause: error });
      await sleep(1_000 + Math.random() * 1_000); // those who waited behind it go first
    }
  }
}

function isFromLockTimeout(error: unknown): boolean {
  const { cause } = error as { cause?: unknown };
  return isLockTimeout(error) || (cause instanceof Error && isFromLockTimeout(cause));
}

type Schema = { directory: string; names: string[] };

async function runPending(pool: Knex, { directory, names }: Schema): Promise<void> {
  const config: Knex.MigratorConfig = {
    disableMigrationsListValidation: true, // a newer version's migrations that this one lacks were found compatible
    migrationSource: {
      getMigrations: async () => names,
      getMigrationName: (name: string) => name,
      getMigration: (name: string) => loadMigration(directory, name),
    },
  };
  // Knex's own lock is a row that a killed process never removes. The advisory lock is the one that counts.
  await pool.migrate.forceFreeMigrationsLock(config);
  await pool.migrate.latest(config);
}

// The migrations that a database has run: whether their files have changed since, and whether this program understands the schema. An applied
// migration must never be edited, because databases that have run it would differ from new ones. The SHA-256 of its file is kept in the
// database and compared at each start.

type ChecksumRow = { name: string; sha256: string; compatible_since: string | null };

const table = "migration_checksums";

/** Throws an Error that names applied migrations whose files have changed since. `names`: the migrations of this program. */
async function rejectEdited(pool: Knex, directory: string, names: readonly string[]): Promise<void> {
  if (!(await pool.schema.hasTable(table))) return;
  const edited: string[] = [];
  for (const { name, sha256 } of await pool<ChecksumRow>(table).whereIn("name", names).orderBy("name"))
    if ((await checksumOf(directory, name)) !== sha256) edited.push(name);
  if (edited.length === 0) return;
  throw new Error(
    `The migration ${edited.join(", ")} was edited after it had been applied to this database, which does not have the change. ` +
      "Restore the file as it was, and write a new migration for the change. (If this database is only yours: start with an empty one.)",
  );
}

/**
 * Records the checksums of applied migrations, and since when each is compatible. `names`: the migrations of
 * this program; a newer version has recorded its own.
 */
async function recordChecksums(pool: Knex, directory: string, names: readonly string[]): Promise<void> {
  await pool.raw(`create table if not exists ${table} (name text primary key, sha256 text not null, compatible_since text)`);
  const recorded = await pool<ChecksumRow>(table).pluck("name");
  const applied: string[] = await pool("knex_migrations").whereIn("name", names).pluck("name");
  const rows = applied.filter((name) => !recorded.includes(name)).map((name) => rowOf(directory, name));
  if (rows.length > 0) await pool<ChecksumRow>(table).insert(await Promise.all(rows));
}

async function rowOf(directory: string, name: string): Promise<ChecksumRow> {
  const { compatibleSince } = readHead(await readMigration(directory, name));
  return { name, sha256: await checksumOf(directory, name), compatible_since: compatibleSince };
}

/** SHA-256 of a migration's text, in hex. Line ends are ignored, because they depend on the system of the checkout. */
export async function checksumOf(directory: string, name: string): Promise<string> {
  const text = await readMigration(directory, name);
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex");
}

// Whether this version of the program runs on the schema of a database that a newer version has migrated.
//
// During a rolling upgrade the version before goes on serving while the next one has migrated already, and a step back starts it again. Each
// migration says since which migration programs understand the schema it makes; the database keeps that beside the migration's checksum.

type Applied = { name: string; compatibleSince: string | null };

/** Whether migrations were applied that do not begin with the baseline, the first of `names`, those of this program. */
function isBeforeBaseline(applied: readonly string[], names: readonly string[]): boolean {
  return applied.length > 0 && !applied.includes(names[0] ?? "");
}

/**
 * Throws an Error when a checkout before 1.0.0 has made the database; or when it has migrations that `names`, those of this program, lack,
 * unless each of them is compatible with the newest of `names`.
 */
async function rejectIncompatible(pool: Knex, names: readonly string[]): Promise<void> {
  const applied = await readApplied(pool);
  const appliedNames = applied.map(({ name }) => name);
  if (isBeforeBaseline(appliedNames, names))
    throw new Error(
      "A checkout before 1.0.0 has made this database, and this version changes nothing in it: begin with an empty one (another DATABASE_URL " +
        "or DATA_DIR), and import the donations there that you export in the studio of the old checkout.",
    );
  const newer = applied.filter(({ name }) => !names.includes(name));
  const newest = numberOf(names.at(-1) ?? "");
  const incompatible = newer.filter(({ compatibleSince }) => compatibleSince === null || compatibleSince > newest);
  if (incompatible.length === 0) return;
  throw new Error(
    `The database has the migration ${incompatible.map(({ name }) => name).join(", ")}, which this version of the program does not have, ` +
      "and with which it cannot run: a newer version of the program has migrated it. Start that version or a later one, or restore a backup made before it.",
  );
}

async function readApplied(pool: Knex): Promise<Applied[]> {
  if (!(await pool.schema.hasTable("knex_migrations"))) return [];
  const names: string[] = await pool("knex_migrations").orderBy("id").pluck("name");
  // A process that ended right after its first migrations has not recorded their checksums yet.
  if (!(await pool.schema.hasTable("migration_checksums"))) return names.map((name) => ({ name, compatibleSince: null }));
  const rows = await pool<{ name: string; compatible_since: string | null }>("migration_checksums").select("name", "compatible_since");
  const since = new Map(rows.map((row) => [row.name, row.compatible_since]));
  return names.map((name) => ({ name, compatibleSince: since.get(name) ?? null }));
}
