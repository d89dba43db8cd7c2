// The commands that back the database up, restore a backup, check that a database agrees with itself, and build roll-ups and search index again.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Knex } from "knex";
import { type AuditAction, type AuditDetails, recordAudit } from "../audit/audit-log.ts";
import { openJournal, parseJournal } from "../corrections/erasure-journal.ts";
import { migrate } from "../db/migrator/migrate.ts";
import { pools } from "../db/pools.ts";
import { sharedSecret } from "../db/secrets.ts";
import { rebuildSearchIndex } from "../donations/search/blocks.ts";
import { streamerStore } from "../donations/streamers.ts";
import { checkBackup } from "../ops/backup/load-backup.ts";
import { restoreBackup } from "../ops/backup/restore-backup.ts";
import { verifyDatabase } from "../ops/backup/verify.ts";
import { writeBackup } from "../ops/backup/write-backup.ts";
import { rebuildReports } from "../reports/roll-ups/rollup.ts";
import type { Command, CommandDeps, Input } from "./command.ts";

export const databaseCommands: Command[] = [
  {
    usage: "database migrate    (brings the schema up to date, as every start does; for a job that runs before servers start)",
    run: async ({ knex }) => ({ schema: ((await knex("knex_migrations").max("name as name").first()) as { name: string }).name }),
  },
  { usage: "database backup FILE    (database and journal of erasures; servers may run)", positionals: ["FILE"], run: backup },
  {
    usage: "database restore FILE [--journal FILE]... [--replace]    (into an empty database; erases again what the journals name)",
    options: { journal: "many", replace: "switch" },
    positionals: ["FILE"],
    keepsSchema: true,
    check: (input) => checkBackup(fileOf(input)),
    run: restoreAndErase,
  },
  {
    usage: "database verify    (compares roll-ups, alerts and search with the donations; exit code 1 if they differ)",
    keepsSchema: true,
    check: async (_, { databaseUrl, dataDir }) => {
      if (!databaseUrl && !existsSync(join(dataDir, "postgres"))) throw nothingToVerify(`there is no database in ${resolve(dataDir)}`);
    },
    run: verify,
    isFailure: (result) => (result as { faults: number }).faults > 0,
  },
];

/** They build again what is derived from the donations. */
export const reportCommands: Command[] = [
  {
    usage: "reports rebuild [--streamer HANDLE]    (of all streamers, unless one is named)",
    options: { streamer: "once" },
    run: rebuildRollups,
  },
  {
    usage: "search rebuild",
    run: async ({ database }) => {
      await rebuildSearchIndex(database.pool({ max: 1, applicationName: "donations search", statementTimeoutMs: 0 }));
      return { rebuilt: "search" };
    },
  },
];

async function verify({ database, knex }: CommandDeps): Promise<unknown> {
  if (!(await knex.schema.hasTable("donations"))) throw nothingToVerify("the database has no table of donations");
  await migrate(database);
  return verifyDatabase(database.pool({ ...pools.reports, applicationName: "donations verify", statementTimeoutMs: 0 }));
}

const nothingToVerify = (reason: string): Error => new Error(`There is nothing to verify: ${reason} (DATABASE_URL, DATA_DIR).`);

async function backup({ database, knex, sealer, erasureJournal }: CommandDeps, input: Input): Promise<unknown> {
  await sharedSecret(knex, "erasures", sealer); // the key of the journal's hashes is part of every backup
  const written = await writeBackup(database.url, fileOf(input), openJournal(erasureJournal).read);
  await note(knex, "database.backed_up", { tables: written.tables, bytes: written.bytes });
  return written;
}

async function restoreAndErase({ database, knex, sealer, erasureJournal }: CommandDeps, input: Input): Promise<unknown> {
  const entries = (await Promise.all(input.all("journal").map(async (file) => parseJournal(await readFile(file, "utf8"), file)))).flat();
  const request = { file: fileOf(input), replace: input.has("replace"), erasureJournal, sealer, entries };
  const restored = await restoreBackup(database, request);
  await note(knex, "database.restored", { madeAt: restored.madeAt, tables: restored.tables });
  return restored;
}

const fileOf = ({ positional }: Input): string => resolve(positional("FILE"));

/** Appends a line to the operator's chain. What it tells of is no transaction of the database. */
function note(knex: Knex, action: AuditAction, details: AuditDetails): Promise<void> {
  return knex.transaction((trx) => recordAudit(trx, { streamerId: null, action, details }));
}

/** Deletes the roll-ups and computes them again from the donations. Prints the number of donations of each streamer. */
async function rebuildRollups({ database, knex }: CommandDeps, { get }: Input): Promise<Record<string, number>> {
  const streamers = streamerStore(knex);
  const handle = get("streamer");
  const chosen = handle === undefined ? await streamers.list() : [await streamers.require(handle)];
  const pool = database.pool({ max: 1, applicationName: "donations reports", statementTimeoutMs: 0 });
  const rebuilt: Record<string, number> = {};
  for (const streamer of chosen) rebuilt[streamer.handle] = (await rebuildReports(pool, streamer.id)).donations;
  return rebuilt;
}
