// The commands that erase donators.

import { InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { recordAudit } from "../audit/audit-log.ts";
import { donatorKeysOf } from "../corrections/erase-donator.ts";
import { nothing } from "../corrections/erase-rows.ts";
import { openErasures } from "../corrections/open-erasures.ts";
import { isRetentionDays, maxRetentionDays } from "../corrections/retention.ts";
import type { Database } from "../db/database.ts";
import { streamerStore } from "../donations/streamers.ts";
import { type Purged, purge } from "../ops/backup/purge.ts";
import { type AddCommands, type CommandDeps, streamerCommand } from "./command.ts";

export const addDonatorCommands: AddCommands = (program, does) => {
  const donators = program.command("donators").description("erasure of donators");
  streamerCommand(donators, "erase", "erases texts and keys of a donator; amounts and counts stay")
    .option("--identifier <identifier>", "the donator's identifier")
    .option("--name <name>", "the donator's name, where donations have no identifier")
    .option("--dry-run", "erases nothing, and says how much it would")
    .option("--purge", "also takes what was erased from the files of the database")
    .action(does(eraseDonator));
  streamerCommand(donators, "retention", "prints for how many days donations are kept (null: for ever), or changes it")
    .addOption(new Option("--days <n>", "erases donations N days after they were recorded").argParser(readDays).conflicts("off"))
    .option("--off", "keeps donations for ever")
    .action(
      does(async (deps, { streamer: handle, days, off }) => {
        const streamer = await streamerStore(deps.knex).require(handle);
        const { retention } = await openErasures(deps);
        if (days !== undefined || off) await retention.set(streamer.id, days ?? null);
        return { streamer: streamer.handle, retentionDays: await retention.get(streamer.id) };
      }),
    );
  donators
    .command("purge")
    .description("rewrites the tables that held what was erased; nothing is recorded meanwhile")
    .action(does(({ database }) => purgeDatabase(database)));
};

function readDays(text: string): number {
  const days = Number(text);
  if (!/^\d+$/.test(text) || !isRetentionDays(days))
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxRetentionDays}.`);
  return days;
}

type ErasureOptions = { streamer: string; identifier?: string; name?: string; dryRun?: boolean; purge?: boolean };

/** Prints what was erased, or would be. */
async function eraseDonator(deps: CommandDeps, { streamer: handle, identifier, name, dryRun, purge }: ErasureOptions): Promise<unknown> {
  const streamer = await streamerStore(deps.knex).require(handle);
  if (identifier === undefined && name === undefined) throw new Error("--identifier or --name is missing: whom to erase");
  const keys = donatorKeysOf({ dryRun: false, identifier, donatorName: name });
  const { eraser } = await openErasures(deps);
  if (dryRun) return { dryRun: true, ...nothing, donations: (await eraser.count(streamer.id, keys)).donations };
  const erased = await eraser.erase(streamer.id, keys);
  return { dryRun: false, ...erased, ...(purge && { purged: await purgeDatabase(deps.database) }) };
}

async function purgeDatabase(database: Database): Promise<Purged> {
  const purged = await purge(database);
  await database.knex.transaction((trx) => recordAudit(trx, { streamerId: null, action: "database.purged" }));
  return purged;
}
