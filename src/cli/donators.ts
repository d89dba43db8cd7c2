// The commands that erase donators.

import { streamerStore } from "../account/streamers.ts";
import { openEraser } from "../app/make-eraser.ts";
import { purge } from "../db/purge.ts";
import { nothing } from "../donations/erasure/erase-rows.ts";
import { donatorKeysOf } from "../donations/erasure/handler.ts";
import type { Command, CommandDeps, Input } from "./command.ts";

export const donatorCommands: Command[] = [
  {
    usage: "donators erase --streamer HANDLE [--identifier IDENTIFIER] [--name NAME] [--dry-run] [--purge]",
    options: { streamer: "once", identifier: "once", name: "once", "dry-run": "switch", purge: "switch" },
    run: eraseDonator,
  },
  {
    usage: "donators purge    (rewrites the tables that held what was erased; nothing is recorded meanwhile)",
    run: ({ database }) => purge(database),
  },
];

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
  const { eraser } = await openEraser({ knex, config: { erasureJournal }, sealer });
  if (has("dry-run")) return { dryRun: true, ...nothing, donations: await eraser.count(streamer.id, keys) };
  const erased = await eraser.erase(streamer.id, keys);
  return { dryRun: false, ...erased, ...(has("purge") && { purged: await purge(database) }) };
}
