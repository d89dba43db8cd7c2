// The commands that back the database up, restore a backup, and check that a database agrees with itself.

import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Knex } from "knex";
import { restoreBackup } from "../app/restore-backup.ts";
import { verifyDatabase } from "../app/verify-database.ts";
import { type AuditAction, type AuditDetails, recordAudit } from "../audit/audit-log.ts";
import { writeBackup } from "../backup/write-backup.ts";
import { pools } from "../db/pools.ts";
import { sharedSecret } from "../db/secrets.ts";
import { openJournal, parseJournal } from "../donations/erasure/journal.ts";
import type { Command, CommandDeps, Input } from "./command.ts";

export const databaseCommands: Command[] = [
  { usage: "database backup FILE    (database and journal of erasures; servers may run)", positionals: ["FILE"], run: backup },
  {
    usage: "database restore FILE [--journal FILE]... [--replace]    (into an empty database; erases again what the journals name)",
    options: { journal: "many", replace: "switch" },
    positionals: ["FILE"],
    createsSchema: true,
    run: restoreAndErase,
  },
  {
    usage: "database verify    (compares roll-ups, alerts and search with the donations; exit code 1 if they differ)",
    run: async ({ database }) => {
      const knex = database.pool({ ...pools.reports, applicationName: "donations verify", statementTimeoutMs: 0 });
      return verifyDatabase(knex);
    },
    isFailure: (result) => (result as { faults: number }).faults > 0,
  },
];

async function backup({ database, knex, sealer, erasureJournal }: CommandDeps, { positional }: Input): Promise<unknown> {
  await sharedSecret(knex, "erasures", sealer); // the key of the journal's hashes is part of every backup
  const written = await writeBackup(database.url, resolve(positional("FILE")), openJournal(erasureJournal).read);
  await note(knex, "database.backed_up", { tables: written.tables, bytes: written.bytes });
  return written;
}

async function restoreAndErase({ database, knex, sealer, erasureJournal }: CommandDeps, { positional, all, has }: Input): Promise<unknown> {
  const entries = (await Promise.all(all("journal").map(async (file) => parseJournal(await readFile(file, "utf8"), file)))).flat();
  const [file, config] = [resolve(positional("FILE")), { erasureJournal }];
  const restored = await restoreBackup(database, { file, replace: has("replace"), config, sealer, entries });
  await note(knex, "database.restored", { madeAt: restored.madeAt, tables: restored.tables });
  return restored;
}

/** Appends a line to the operator's chain. What it tells of is no transaction of the database. */
function note(knex: Knex, action: AuditAction, details: AuditDetails): Promise<void> {
  return knex.transaction((trx) => recordAudit(trx, { streamerId: null, action, details }));
}
