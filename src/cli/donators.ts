// The commands that erase donators.

import { recordAudit } from "../audit/audit-log.ts";
import { donatorKeysOf } from "../corrections/erase-donator.ts";
import { nothing } from "../corrections/erase-rows.ts";
import { openErasures } from "../corrections/open-erasures.ts";
import { isRetentionDays, maxRetentionDays } from "../corrections/retention.ts";
import type { Database } from "../db/database.ts";
import { streamerStore } from "../donations/streamers.ts";
import { type Purged, purge } from "../ops/backup/purge.ts";
import type { Command, CommandDeps, Input } from "./command.ts";

export const donatorCommands: Command[] = [
  {
    usage: "donators erase --streamer HANDLE [--identifier IDENTIFIER] [--name NAME] [--dry-run] [--purge]",
    options: { streamer: "once", identifier: "once", name: "once", "dry-run": "switch", purge: "switch" },
    run: eraseDonator,
  },
  {
    usage: "donators retention --streamer HANDLE [--days N] [--off]    (erases donations N days after they were recorded)",
    options: { streamer: "once", days: "once", off: "switch" },
    run: changeRetention,
  },
  {
    usage: "donators purge    (rewrites the tables that held what was erased; nothing is recorded meanwhile)",
    run: ({ database }) => purgeDatabase(database),
  },
];

/** Prints for how many days donations are kept; null: for ever. */
async function changeRetention({ knex, sealer, erasureJournal }: CommandDeps, { get, require, has }: Input): Promise<unknown> {
  const streamer = await streamerStore(knex).require(require("streamer"));
  const { retention } = await openErasures({ knex, erasureJournal, sealer });
  const days = get("days");
  if (days !== undefined && has("off")) throw new Error("--days and --off exclude each other");
  if (days !== undefined) await retention.set(streamer.id, readDays(days));
  if (has("off")) await retention.set(streamer.id, null);
  return { streamer: streamer.handle, retentionDays: await retention.get(streamer.id) };
}

function readDays(text: string): number {
  const days = Number(text);
  if (!/^\d+$/.test(text) || !isRetentionDays(days))
    throw new Error(`--days must be a whole number from 1 to ${maxRetentionDays}, not "${text}"`);
  return days;
}

/** Erases a donator. Prints what was erased, or would be. */
async function eraseDonator(deps: CommandDeps, { get, require, has }: Input): Promise<unknown> {
  const { database, knex, sealer, erasureJournal } = deps;
  const streamer = await streamerStore(knex).require(require("streamer"));
  const [identifier, donatorName] = [get("identifier"), get("name")];
  if (identifier === undefined && donatorName === undefined) throw new Error("--identifier or --name is missing: whom to erase");
  const keys = donatorKeysOf({
    dryRun: false,
    ...(identifier !== undefined && { identifier }),
    ...(donatorName !== undefined && { donatorName }),
  });
  const { eraser } = await openErasures({ knex, erasureJournal, sealer });
  if (has("dry-run")) return { dryRun: true, ...nothing, donations: (await eraser.count(streamer.id, keys)).donations };
  const erased = await eraser.erase(streamer.id, keys);
  return { dryRun: false, ...erased, ...(has("purge") && { purged: await purgeDatabase(database) }) };
}

async function purgeDatabase(database: Database): Promise<Purged> {
  const purged = await purge(database);
  await database.knex.transaction((trx) => recordAudit(trx, { streamerId: null, action: "database.purged" }));
  return purged;
}
