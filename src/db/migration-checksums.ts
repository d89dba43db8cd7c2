// An applied migration must never be edited: databases that have run it would differ from new ones. The SHA-256 of its file is kept in the
// database and compared at each start.

import { createHash } from "node:crypto";
import type { Knex } from "knex";
import { readMigration } from "./migration-files.ts";

type ChecksumRow = { name: string; sha256: string };

const table = "migration_checksums";

/** Throws an Error that names applied migrations whose files have changed since. */
export async function rejectEdited(pool: Knex, directory: string): Promise<void> {
  if (!(await pool.schema.hasTable(table))) return;
  const edited: string[] = [];
  for (const { name, sha256 } of await pool<ChecksumRow>(table).orderBy("name"))
    if ((await checksumOf(directory, name)) !== sha256) edited.push(name);
  if (edited.length === 0) return;
  throw new Error(
    `The migration ${edited.join(", ")} was edited after it had been applied to this database, which does not have the change. ` +
      "Restore the file as it was, and write a new migration for the change. (If this database is only yours: start with an empty one.)",
  );
}

/** Records the checksums of applied migrations. A database without checksums gets those of the present files. */
export async function recordChecksums(pool: Knex, directory: string): Promise<void> {
  if (!(await pool.schema.hasTable(table))) {
    await pool.schema.createTable(table, (column) => {
      column.text("name").primary();
      column.text("sha256").notNullable();
    });
  }
  const recorded = await pool<ChecksumRow>(table).pluck("name");
  const applied: string[] = await pool("knex_migrations").pluck("name");
  const rows = applied
    .filter((name) => !recorded.includes(name))
    .map(async (name) => ({ name, sha256: await checksumOf(directory, name) }));
  if (rows.length > 0) await pool<ChecksumRow>(table).insert(await Promise.all(rows));
}

/** SHA-256 of a migration's text, in hex. Line ends are ignored, because they depend on the system of the checkout. */
export async function checksumOf(directory: string, name: string): Promise<string> {
  const text = await readMigration(directory, name);
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex");
}
