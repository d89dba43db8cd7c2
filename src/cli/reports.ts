// Commands that build the roll-ups and the search index again.

import { rebuildSearchIndex } from "../donations/search/blocks.ts";
import { streamerStore } from "../donations/streamers.ts";
import { rebuildReports } from "../reports/roll-ups/rollup.ts";
import type { Command, CommandDeps, Input } from "./command.ts";

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
