// An applied migration must never be edited: databases that have run it would differ from new ones. The SHA-256 of its file is kept in the
// database and compared at each start.

import { createHash } from "node:crypto";
import type { Knex } from "knex";
import { readMigration } from "./migration-files.ts";
import { readHead } from "./migration-head.ts";

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
