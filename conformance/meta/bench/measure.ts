// Measures every question for both streamers in turn, so that other work of the machine affects both alike.

import { bodyOf, percentile, send } from "./http.ts";
import type { Question } from "./questions.ts";
import { type Setting, type Side, sides } from "./setting.ts";

export type Measured = { p50: number; p99: number; rows: number };
export type Line = { operation: string; range: string; noAimReason: string | null; ratio: number } & Record<Side, Measured>;

export async function measure(url: string, setting: Setting, questions: readonly Question[], times: number): Promise<Line[]> {
  const taken = questions.map(() => ({ smaller: [] as number[], larger: [] as number[] }));
  const rows = questions.map(() => ({ smaller: 0, larger: 0 }));
  for (let round = -2; round < times; round += 1)
    for (const [index, { paths }] of questions.entries())
      for (const side of sides) {
        const answer = await send(`${url}/api/v1${paths[side]}`, setting.keys[side]);
        const { data } = bodyOf(answer, paths[side]);
        if (round < 0)
          rows[index]![side] = sizeOf(data); // warms up
        else taken[index]![side].push(answer.ms);
      }
  return questions.map(({ operation, range, noAimReason }, index) => {
    const on = (side: Side): Measured => ({
      p50: percentile(taken[index]![side], 0.5),
      p99: percentile(taken[index]![side], 0.99),
      rows: rows[index]![side],
    });
    const line = { smaller: on("smaller"), larger: on("larger") };
    return { operation, range, noAimReason: noAimReason ?? null, ratio: line.larger.p50 / line.smaller.p50, ...line };
  });
}

/** Donations, donators, channels or points of an answer; 1 for stats. */
function sizeOf(data: unknown): number {
  if (Array.isArray(data)) return data.length;
  const list = Object.values(data as object).find(Array.isArray);
  return list?.length ?? 1;
}
