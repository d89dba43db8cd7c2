// Restores a backup with everything that was erased since erased again, and its bytes removed from the database's files.

import type { Knex } from "knex";
import type { Erased } from "../../corrections/erase-rows.ts";
import { type JournalEntry, parseJournal } from "../../corrections/erasure-journal.ts";
import { openErasures, reapplyErasures } from "../../corrections/open-erasures.ts";
import type { Database } from "../../db/database.ts";
import type { Sealer } from "../../db/secrets.ts";
import { type Loaded, loadBackup } from "./load-backup.ts";
import { type Purged, purge } from "./purge.ts";

type Restored = Pick<Loaded, "madeAt" | "tables"> & Readonly<{ erasedAgain: Erased & { aged: number }; purged: Purged | null }>;

type RestoreRequest = {
  file: string;
  replace: boolean;
  erasureJournal: string;
  sealer: Sealer;
  /** Of further journals, such as other machines'. */
  entries: readonly JournalEntry[];
};

/**
 * Throws an Error, and leaves the database as it was, unless it is empty or may be replaced, and all of the backup and the erasures fits.
 * `checkBackup` says before what is wrong with the file.
 */
export async function restoreBackup(database: Database, request: RestoreRequest): Promise<Restored> {
  const { madeAt, tables, erasedAgain } = await replaceContent(database.knex, request.replace, () => loadAndErase(database, request));
  const isChanged = erasedAgain.donations + erasedAgain.aged > 0;
  return { madeAt, tables, erasedAgain, purged: isChanged ? await purge(database) : null };
}

async function loadAndErase(
  database: Database,
  { file, erasureJournal, sealer, entries }: RestoreRequest,
): Promise<Omit<Restored, "purged">> {
  const { knex } = database;
  const { madeAt, tables, journal: lines } = await loadBackup(database, file);
  const erasures = await openErasures({ knex, erasureJournal, sealer });
  const ofBackup = parseJournal(lines.join("\n"), "the backup's journal");
  const erasedAgain = await reapplyErasures(erasures, [...ofBackup, ...entries]);
  return { madeAt, tables, erasedAgain };
}

/**
 * Runs `load` on an empty schema. Throws an Error before that unless the database is empty, or may be replaced and nobody uses it. Rejects with
 * the error of `load` when that fails, and the database is as it was.
 */
async function replaceContent<Result>(knex: Knex, replace: boolean, load: () => Promise<Result>): Promise<Result> {
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
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
       and application_name not in ('donations', 'donations presence')`,
  );
  if (rows.length > 0) throw new Error(`The database is in use (${rows[0]?.name || "another client"}): stop the servers first.`);
}

// Keeps what a database has until something else is complete in its place, and brings it back when that fails.

const aside = "replaced_by_restore";
const failed = "failed_restore";

/**
 * Runs `load` with everything out of the way that the schema `public` has. Drops that afterwards, or brings it back and rejects with the error
 * of `load`. Privileges of the schema and its extensions stay. The database needs room for both.
 */
async function withEmptySchema<Result>(knex: Knex, load: () => Promise<Result>): Promise<Result> {
  await rejectBrokenOff(knex);
  await knex.transaction((trx) => moveAll(trx, "public", aside));
  try {
    const result = await load();
    await knex.raw(`drop schema ${aside} cascade`);
    return result;
  } catch (error) {
    await knex.transaction(async (trx) => {
      await moveAll(trx, "public", failed);
      await trx.raw(`drop schema ${failed} cascade`);
      await moveAll(trx, aside, "public");
      await trx.raw(`drop schema ${aside}`);
    });
    throw error;
  }
}

/** Nobody but the operator knows which of the two is wanted: a killed restore may have been complete. */
async function rejectBrokenOff(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: unknown[] }>("select from pg_namespace where nspname = ?", [aside]);
  if (rows.length > 0)
    throw new Error(
      `A restore into this database was broken off: the schema ${aside} has what was there before. ` +
        `Bring it back with "drop schema public cascade; alter schema ${aside} rename to public", or drop it with "drop schema ${aside} cascade".`,
    );
}

/** Tables with all that belongs to them, functions and types. */
async function moveAll(trx: Knex.Transaction, from: string, to: string): Promise<void> {
  await trx.raw(`create schema if not exists ${to}`);
  const { rows } = await trx.raw<{ rows: { statement: string }[] }>(movesSql, { from, to });
  for (const { statement } of rows) await trx.raw(statement);
}

/** What belongs to an extension or to a table moves with it, or not at all. */
const movesSql = `
  select format('alter table %s set schema %I', oid::regclass, :to::text) as statement from pg_class
  where relnamespace = :from::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f', 'S') and not exists (
    select from pg_depend where classid = 'pg_class'::regclass and objid = pg_class.oid and (deptype = 'e' or relkind = 'S' and deptype in ('a', 'i')))
  union all
  select format('alter routine %s set schema %I', oid::regprocedure, :to::text) from pg_proc
  where pronamespace = :from::regnamespace
    and not exists (select from pg_depend where classid = 'pg_proc'::regclass and objid = pg_proc.oid and deptype = 'e')
  union all
  select format('alter type %s set schema %I', oid::regtype, :to::text) from pg_type
  where typnamespace = :from::regnamespace and (typtype in ('e', 'd', 'r') or typtype = 'c'
      and exists (select from pg_class where pg_class.oid = typrelid and relkind = 'c'))
    and not exists (select from pg_depend where classid = 'pg_type'::regclass and objid = pg_type.oid and deptype = 'e')`;
