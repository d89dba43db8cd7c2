import { streamerStore } from "../account/streamers.ts";
import { rebuildSearchIndex } from "../donations/search/search-indexer.ts";
import { rebuildReports } from "../reports/rollup.ts";
import type { Command, Input, Tools } from "./command.ts";

export const reportCommands: Command[] = [
  {
    usage: "reports rebuild [--streamer HANDLE]    (all streamers when none is named)",
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

/** Empties the roll-ups and fills them again from the donations. */
async function rebuildRollups({ database, knex }: Tools, { get }: Input): Promise<Record<string, number>> {
  const streamers = streamerStore(knex);
  const handle = get("streamer");
  const chosen = handle === undefined ? await streamers.list() : [await streamers.require(handle)];
  const pool = database.pool({ max: 1, applicationName: "donations reports", statementTimeoutMs: 0 });
  const rebuilt: Record<string, number> = {};
  for (const streamer of chosen) rebuilt[streamer.handle] = (await rebuildReports(pool, streamer.id)).donations;
  return rebuilt;
}
