import { join } from "node:path";
import type { Knex } from "knex";
import type { Database } from "./database.ts";
import { noteChecksums, refuseEdited } from "./migration-checksums.ts";
import { listMigrations, loadMigration } from "./migration-files.ts";

/** Where the migrations lie. */
export const migrationsDirectory = join(import.meta.dirname, "migrations");

/**
 * Brings the schema up to date, forward only. Any number of processes may call it at once: one works, the others wait.
 * Throws when a migration fails (naming file and line; nothing of the batch stays), when an applied one was edited
 * since, and when the database holds migrations that `directory` lacks, because a newer version of the program has been here.
 */
export async function migrate(database: Pick<Database, "pool">, directory: string = migrationsDirectory): Promise<void> {
  const names = await listMigrations(directory);
  const pool = database.pool({
    max: 3,
    applicationName: "donations migrate",
    statementTimeoutMs: 0,
    idleInTransactionTimeoutMs: 0,
  });
  try {
    await alone(pool, async () => {
      await refuseFuture(pool, names);
      await refuseEdited(pool, directory);
      await runPending(pool, { directory, names });
      await noteChecksums(pool, directory);
    });
  } finally {
    await pool.destroy();
  }
}

// The transaction is only there to keep one connection and its lock: whoever is killed lets go of both.
function alone(pool: Knex, work: () => Promise<void>): Promise<void> {
  return pool.transaction(async (guard) => {
    await guard.raw("select pg_advisory_xact_lock(hashtextextended('donations schema migrations', 0))");
    await work();
  });
}

async function refuseFuture(pool: Knex, names: string[]): Promise<void> {
  if (!(await pool.schema.hasTable("knex_migrations"))) return;
  const done = await pool<{ id: number; name: string }>("knex_migrations").orderBy("id").pluck("name");
  const unknown = done.filter((name) => !names.includes(name));
  if (unknown.length === 0) return;
  throw new Error(
    `The database holds the migration ${unknown.join(", ")}, which this version of the program does not have: ` +
      "a newer version has been started on it. Start that version or a later one, or restore a backup made before it.",
  );
}

async function runPending(pool: Knex, { directory, names }: { directory: string; names: string[] }): Promise<void> {
  const config: Knex.MigratorConfig = {
    migrationSource: {
      getMigrations: async () => names,
      getMigrationName: (name: string) => name,
      getMigration: (name: string) => loadMigration(directory, name),
    },
  };
  // Knex's own lock is a row that a killed process leaves behind for ever; the advisory lock is the real one.
  await pool.migrate.forceFreeMigrationsLock(config);
  await pool.migrate.latest(config);
}
