// Runs the migrations of the database.

import { join } from "node:path";
import type { Knex } from "knex";
import type { Database } from "./database.ts";
import { recordChecksums, rejectEdited } from "./migration-checksums.ts";
import { listMigrations, loadMigration } from "./migration-files.ts";

/** The folder of the migrations. */
export const migrationsDirectory = join(import.meta.dirname, "migrations");

/**
 * Brings the schema up to date, forward only. Any number of processes may call it at once: one migrates, the others wait.
 * Throws an Error when a migration fails (with file and line; the whole batch is rolled back), when an applied migration was edited later,
 * and when the database has migrations that `directory` lacks, because a newer version of the program has migrated it.
 */
export async function migrate(database: Pick<Database, "pool">, directory: string = migrationsDirectory): Promise<void> {
  await runMigrations(database, { directory, names: await listMigrations(directory) });
}

/** Brings an empty database to the schema that these migrations make, for a backup that was made under it. Throws as `migrate`. */
export async function migrateTo(database: Pick<Database, "pool">, names: readonly string[]): Promise<void> {
  const known = await listMigrations(migrationsDirectory);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`The backup was made by a newer version of the program: this one lacks the migration ${unknown.join(", ")}.`);
  await runMigrations(database, { directory: migrationsDirectory, names: known.filter((name) => names.includes(name)) });
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
      await rejectUnknown(pool, names);
      await rejectEdited(pool, directory);
      await runPending(pool, { directory, names });
      await recordChecksums(pool, directory);
    });
  } finally {
    await pool.destroy();
  }
}

/** The transaction only keeps one connection and its lock, which a killed process releases. */
function withMigrationLock(pool: Knex, work: () => Promise<void>): Promise<void> {
  return pool.transaction(async (transaction) => {
    await transaction.raw("select pg_advisory_xact_lock(hashtextextended('donations schema migrations', 0))");
    await work();
  });
}

async function rejectUnknown(pool: Knex, names: string[]): Promise<void> {
  if (!(await pool.schema.hasTable("knex_migrations"))) return;
  const applied = await pool<{ id: number; name: string }>("knex_migrations").orderBy("id").pluck("name");
  const unknown = applied.filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  throw new Error(
    `The database has the migration ${unknown.join(", ")}, which this version of the program does not have: ` +
      "a newer version of the program has migrated it. Start that version or a later one, or restore a backup made before it.",
  );
}

type Schema = { directory: string; names: string[] };

async function runPending(pool: Knex, { directory, names }: Schema): Promise<void> {
  const config: Knex.MigratorConfig = {
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
