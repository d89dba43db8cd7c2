// Restores a backup with everything that was erased since erased again, and its bytes removed from the database's files.

import type { Config } from "../../config.ts";
import type { Erased } from "../../corrections/erasure/erase-rows.ts";
import { type JournalEntry, parseJournal } from "../../corrections/erasure/journal.ts";
import { reapplyErasures } from "../../corrections/erasure/named-erasures.ts";
import { openErasures } from "../../corrections/erasure/open-erasures.ts";
import type { Database } from "../../db/database.ts";
import type { Sealer } from "../../db/secrets.ts";
import { type Purged, purge } from "../purge.ts";
import { type Loaded, loadBackup } from "./load-backup.ts";
import { replaceContent } from "./restore.ts";

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
