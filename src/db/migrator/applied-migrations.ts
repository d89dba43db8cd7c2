// The migrations that a database has run: whether their files have changed since, and whether this program understands the schema. An applied
// migration must never be edited, because databases that have run it would differ from new ones. The SHA-256 of its file is kept in the
// database and compared at each start.

import { createHash } from "node:crypto";
import type { Knex } from "knex";
import { numberOf, readHead, readMigration } from "./migration-files.ts";

type ChecksumRow = { name: string; sha256: string; compatible_since: string | null };

const table = "migration_checksums";

/** Throws an Error that names applied migrations whose files have changed since. `names`: the migrations of this program. */
export async function rejectEdited(pool: Knex, directory: string, names: readonly string[]): Promise<void> {
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
export async function recordChecksums(pool: Knex, directory: string, names: readonly string[]): Promise<void> {
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
export function isBeforeBaseline(applied: readonly string[], names: readonly string[]): boolean {
  return applied.length > 0 && !applied.includes(names[0] ?? "");
}

/**
 * Throws an Error when a checkout before 1.0.0 has made the database; or when it has migrations that `names`, those of this program, lack,
 * unless each of them is compatible with the newest of `names`.
 */
export async function rejectIncompatible(pool: Knex, names: readonly string[]): Promise<void> {
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
