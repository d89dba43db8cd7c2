// What a donator has given in all, and the place among all donators, for the studio.

import { toNumber } from "../db/decimal.ts";
import { cachedReport, type ReportDeps } from "./handlers.ts";
import { readReport } from "./queries/snapshot.ts";
import { standingOf } from "./queries/top-donators.ts";

/** Of the donations that count. `name`, `identifier`: of the latest. Times in milliseconds since 1970. */
export type Standing = Readonly<{
  rank: number;
  total: number;
  count: number;
  name: string;
  identifier: string | null;
  firstAt: number;
  lastAt: number;
}>;

export type FindStanding = (streamerId: string, donatorKey: string) => Promise<Standing | null>;

/** Finds a donator by key (`donatorKey` of donations); null when nothing of the donator counts. */
export function findStanding(deps: ReportDeps): FindStanding {
  return async (streamerId, donatorKey) => {
    const query = { source: ["external", "native"] as const, donatorKey };
    const text = await cachedReport(
      deps,
      { operation: "listTopDonators", query, asOf: deps.now() },
      { streamerId },
      async (subject, pool) => {
        const { found } = await readReport(pool, subject, { found: standingOf(donatorKey) });
        return { found: found && { ...found, total: toNumber(found.total) } };
      },
    );
    return JSON.parse(text.toString()).found as Standing | null;
  };
}
