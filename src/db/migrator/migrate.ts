// Runs the migrations of the database.

import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Knex } from "knex";
import { distribute } from "../citus/distribute.ts";
import { isDistributed } from "../citus/distributed.ts";
import type { Database } from "../database.ts";
import { isLockTimeout } from "../failures.ts";
import { isBeforeBaseline, recordChecksums, rejectEdited, rejectIncompatible } from "./applied-migrations.ts";
import { listMigrations, loadMigration } from "./migration-files.ts";

/** The folder of the migrations. */
export const migrationsDirectory = join(import.meta.dirname, "../migrations");

/**
 * Brings the schema up to date, forward only. Any number of processes may call it at once: one migrates, the others wait.
 * Throws an Error when a migration fails (with file and line; all pending ones are rolled back, unless one of them runs without a
 * transaction), when it gets no lock for five minutes, when an applied migration was edited later, when a checkout before 1.0.0 has made
 * the database, and when a newer version of the program has migrated it and this one cannot run on that schema. Tables of a database that is distributed are distributed afterwards.
 */
export async function migrate(database: Pick<Database, "pool">, directory: string = migrationsDirectory): Promise<void> {
  await runMigrations(database, { directory, names: await listMigrations(directory) });
}

/** Brings an empty database to the schema that these migrations make, for a backup that was made under it. Throws as `migrate`. */
export async function migrateTo(database: Pick<Database, "pool">, names: readonly string[]): Promise<void> {
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

async function runMigrations(database: Pick<Database, "pool">, { directory, names }: Schema): Promise<void> {
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
