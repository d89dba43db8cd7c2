// Restores a backup into a database that is empty, or may be replaced.

import type { Knex } from "knex";
import { withEmptySchema } from "./set-aside.ts";

/**
 * Runs `load` on an empty schema. Throws an Error before that unless the database is empty, or may be replaced and nobody uses it. Rejects with
 * the error of `load` when that fails, and the database is as it was.
 */
export async function replaceContent<Result>(knex: Knex, replace: boolean, load: () => Promise<Result>): Promise<Result> {
  const { rows: tables } = await knex.raw<{ rows: unknown[] }>("select from pg_tables where schemaname = 'public' limit 1");
  if (tables.length > 0) await requireReplaceable(knex, replace);
  return withEmptySchema(knex, load);
}

async function requireReplaceable(knex: Knex, replace: boolean): Promise<void> {
  if (!replace)
    throw new Error(
      "The database is not empty: restore into another one (DATABASE_URL, or another DATA_DIR), or replace it with --replace.",
    );
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    `select application_name as name from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and application_name not in ('donations', 'donations presence')`,
  );
  if (rows.length > 0) throw new Error(`The database is in use (${rows[0]?.name || "another client"}): stop the servers first.`);
}
