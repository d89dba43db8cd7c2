// The commands that back the database up, restore a backup, check that a database agrees with itself, and build roll-ups and search index again.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Knex } from "knex";
import { type AuditAction, type AuditDetails, recordAudit } from "../audit/audit-log.ts";
import type { Config } from "../config.ts";
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
import { type AddCommands, type CommandDeps, collect } from "./command.ts";

export const addDatabaseCommands: AddCommands = (program, does) => {
  const commands = program.command("database").description("schema, backups and checks of the database");
  commands
    .command("migrate")
    .description("brings the schema up to date, as every start does; for a job that runs before servers start")
    .action(
      does(async ({ knex }) => ({ schema: ((await knex("schema_migrations").max("name as name").first()) as { name: string }).name })),
    );
  commands.command("backup <file>").description("writes database and journal of erasures; servers may run").action(does(backup));
  commands
    .command("restore <file>")
    .description("loads a backup into an empty database, and erases again what the journals name")
    .option("--journal <file>", "a journal of erasures; may be repeated", collect)
    .option("--replace", "replaces what the database has")
    .action(does(restoreAndErase, { keepsSchema: true, check: (_, file) => checkBackup(resolve(file)) }));
  commands
    .command("verify")
    .description("compares roll-ups, alerts and search with the donations; exit code 1 if they differ")
    .action(does(verify, { keepsSchema: true, check: requireDatabase, isFailure: ({ faults }) => faults > 0 }));
  program
    .command("reports")
    .description("roll-ups of reports")
    .command("rebuild")
    .description("computes the roll-ups again from the donations")
    .option("--streamer <handle>", "of this streamer alone")
    .action(does(rebuildRollups));
  program
    .command("search")
    .description("the index of searches")
    .command("rebuild")
    .description("computes the index again from the donations")
    .action(
      does(async ({ database }) => {
        await rebuildSearchIndex(database.pool({ max: 1, applicationName: "donations search", statementTimeoutMs: 0 }));
        return { rebuilt: "search" };
      }),
    );
};

async function requireDatabase({ databaseUrl, dataDir }: Config): Promise<void> {
  if (!databaseUrl && !existsSync(join(dataDir, "postgres"))) throw nothingToVerify(`there is no database in ${resolve(dataDir)}`);
}

async function verify({ database, knex }: CommandDeps) {
  if (!(await knex.schema.hasTable("donations"))) throw nothingToVerify("the database has no table of donations");
  await migrate(database);
  return verifyDatabase(database.pool({ ...pools.reports, applicationName: "donations verify", statementTimeoutMs: 0 }));
}

const nothingToVerify = (reason: string): Error => new Error(`There is nothing to verify: ${reason} (DATABASE_URL, DATA_DIR).`);

async function backup({ database, knex, sealer, erasureJournal }: CommandDeps, file: string): Promise<unknown> {
  await sharedSecret(knex, "erasures", sealer); // the key of the journal's hashes is part of every backup
  const written = await writeBackup(database.url, resolve(file), openJournal(erasureJournal).read);
  await note(knex, "database.backed_up", { tables: written.tables, bytes: written.bytes });
  return written;
}

type RestoreOptions = { journal?: string[]; replace?: boolean };

async function restoreAndErase(
  { database, knex, sealer, erasureJournal }: CommandDeps,
  backupFile: string,
  { journal = [], replace = false }: RestoreOptions,
): Promise<unknown> {
  const entries = (await Promise.all(journal.map(async (file) => parseJournal(await readFile(file, "utf8"), file)))).flat();
  const restored = await restoreBackup(database, { file: resolve(backupFile), replace, erasureJournal, sealer, entries });
  await note(knex, "database.restored", { madeAt: restored.madeAt, tables: restored.tables });
  return restored;
}

/** Appends a line to the operator's chain. What it tells of is no transaction of the database. */
function note(knex: Knex, action: AuditAction, details: AuditDetails): Promise<void> {
  return knex.transaction((trx) => recordAudit(trx, { streamerId: null, action, details }));
}

/** Deletes the roll-ups and computes them again from the donations. Prints the number of donations of each streamer. */
async function rebuildRollups(
  { database, knex }: CommandDeps,
  { streamer: handle }: { streamer?: string },
): Promise<Record<string, number>> {
  const streamers = streamerStore(knex);
  const chosen = handle === undefined ? await streamers.list() : [await streamers.require(handle)];
  const pool = database.pool({ max: 1, applicationName: "donations reports", statementTimeoutMs: 0 });
  const rebuilt: Record<string, number> = {};
  for (const streamer of chosen) rebuilt[streamer.handle] = (await rebuildReports(pool, streamer.id)).donations;
  return rebuilt;
}
