// Restores a backup with everything that was erased since erased again, and its bytes removed from the database's files.

import type { Knex } from "knex";
import type { Config } from "../../config.ts";
import type { Erased } from "../../corrections/erase-rows.ts";
import { type JournalEntry, parseJournal } from "../../corrections/erasure-journal.ts";
import { reapplyErasures } from "../../corrections/named-erasures.ts";
import { openErasures } from "../../corrections/open-erasures.ts";
import type { Database } from "../../db/database.ts";
import type { Sealer } from "../../db/secrets.ts";
import { type Loaded, loadBackup } from "./load-backup.ts";
import { type Purged, purge } from "./purge.ts";
import { withEmptySchema } from "./set-aside.ts";

export type Restored = Pick<Loaded, "madeAt" | "tables"> & Readonly<{ erasedAgain: Erased & { aged: number }; purged: Purged | null }>;

type RestoreRequest = {
  file: string;
  replace: boolean;
  config: Pick<Config, "erasureJournal">;
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

async function loadAndErase(database: Database, { file, config, sealer, entries }: RestoreRequest): Promise<Omit<Restored, "purged">> {
  const { knex } = database;
  const { madeAt, tables, journal: lines } = await loadBackup(database, file);
  const erasures = await openErasures({ knex, config, sealer });
  const ofBackup = parseJournal(lines.join("\n"), "the backup's journal");
  const erasedAgain = await reapplyErasures(erasures, [...ofBackup, ...entries]);
  return { madeAt, tables, erasedAgain };
}

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
