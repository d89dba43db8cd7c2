// A migration that was applied is never edited: databases that have run it would stay as they are, and differ from new ones.
// The SHA-256 of its file is kept beside the database's data, and compared at each start.

import { createHash } from "node:crypto";
import type { Knex } from "knex";
import { readMigration } from "./migration-files.ts";

type Row = { name: string; sha256: string };

const table = "migration_checksums";

/** Throws an Error that names applied migrations whose files are no longer those that were applied. */
export async function refuseEdited(pool: Knex, directory: string): Promise<void> {
  if (!(await pool.schema.hasTable(table))) return;
  const edited: string[] = [];
  for (const { name, sha256 } of await pool<Row>(table).orderBy("name"))
    if ((await checksumOf(directory, name)) !== sha256) edited.push(name);
  if (edited.length === 0) return;
  throw new Error(
    `The migration ${edited.join(", ")} was edited after it had been applied to this database, which does not have the change. ` +
      "Restore the file as it was, and write a new migration for the change. (If this database is only yours: start with an empty one.)",
  );
}

/** Notes the checksums of applied migrations. Those of a database that has none yet are taken as they are now. */
export async function noteChecksums(pool: Knex, directory: string): Promise<void> {
  if (!(await pool.schema.hasTable(table))) {
    await pool.schema.createTable(table, (column) => {
      column.text("name").primary();
      column.text("sha256").notNullable();
    });
  }
  const noted = await pool<Row>(table).pluck("name");
  const applied: string[] = await pool("knex_migrations").pluck("name");
  const rows = applied.filter((name) => !noted.includes(name)).map(async (name) => ({ name, sha256: await checksumOf(directory, name) }));
  if (rows.length > 0) await pool<Row>(table).insert(await Promise.all(rows));
}

/** Line ends are those of the checkout's system and count for nothing. */
export async function checksumOf(directory: string, name: string): Promise<string> {
  const text = await readMigration(directory, name);
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex");
}
