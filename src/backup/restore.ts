// Restores a backup, and erases again what was erased after it was made.

import type { Knex } from "knex";
import type { Database } from "../db/database.ts";
import { checkBackup, type Loaded, loadBackup } from "./load-backup.ts";

/** Throws an Error unless the database is empty, or may be replaced, nobody uses it, and the file is a whole backup. */
async function prepareTarget(knex: Knex, file: string, replace: boolean): Promise<void> {
  const { rows: tables } = await knex.raw<{ rows: unknown[] }>("select from pg_tables where schemaname = 'public' limit 1");
  if (tables.length === 0) return;
  if (!replace)
    throw new Error(
      "The database is not empty: restore into another one (DATABASE_URL, or another DATA_DIR), or replace it with --replace.",
    );
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    `select application_name as name from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and application_name not in ('donations', 'donations presence')`,
  );
  if (rows.length > 0) throw new Error(`The database is in use (${rows[0]?.name || "another client"}): stop the servers first.`);
  await checkBackup(file); // what cannot be loaded replaces nothing
  await knex.raw("drop schema public cascade");
  await knex.raw("create schema public");
}

export async function restore(database: Database, file: string, { replace }: { replace: boolean }): Promise<Loaded> {
  await prepareTarget(database.knex, file, replace);
  return loadBackup(database, file);
}
