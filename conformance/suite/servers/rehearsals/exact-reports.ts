// Reports that are asked for while donations of 1 baht are posted and something fails.

import { setTimeout as sleep } from "node:timers/promises";

import type { Counted, Target } from "./load.ts";

export type ExactReports = {
  counted: () => ReportCounts;
  stop: () => Promise<void>;
};

/** `wrong`: answers that lack an acknowledged donation, or have more than were posted. `refused`: 503. */
export type ReportCounts = Readonly<{ asked: number; refused: number; wrong: readonly string[] }>;

/**
 * Asks the processes in turn for the number of donations and their sum. An answer must have every donation that was acknowledged before it
 * was asked for, and none that was posted after it came.
 */
export function startExactReports({ urls, key }: Target, load: () => Counted): ExactReports {
  const counts = { asked: 0, refused: 0, wrong: [] as string[] };
  const headers = { Authorization: `Bearer ${key}` };
  let isOver = false;
  const ask = async (url: string): Promise<void> => {
    const least = load().acknowledged;
    const answer = await fetch(`${url}/api/v1/donations/stats`, { headers }).catch(() => null);
    const body = (await answer?.json().catch(() => null)) as { data?: { count: number; total: number } } | null;
    counts.asked += 1;
    if (answer?.status === 503) counts.refused += 1;
    else if (answer?.status !== 200 || !body?.data) counts.wrong.push(`status ${answer?.status}`);
    else if (body.data.count < least || body.data.count > load().posted || body.data.total !== body.data.count)
      counts.wrong.push(`${body.data.count} donations of ${body.data.total} baht, and ${least} were acknowledged of ${load().posted}`);
  };
  const running = (async () => {
    for (let turn = 0; !isOver; turn += 1) {
      await ask(urls()[turn % urls().length] as string);
      await sleep(50);
    }
  })();
  return {
    counted: () => counts,
    stop: async () => {
      isOver = true;
      await running;
    },
  };
}
