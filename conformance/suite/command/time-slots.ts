// Divides the time of a quick run among its rule files.

import { familyOf } from "../contract/offline-rules.ts";
import type { TimeSlot } from "../values/target.ts";
import { inOrder } from "./file-order.ts";
import { measuredTimeOf } from "./measured.ts";

/** What every rule file gets at least, however late the rules start. */
const minimumMs = 5000;

/** The time of a run, instants in ms since 1970. `isPaced`: the server limits the rate of requests, so that files get no time after it. */
export type RunTime = { startsAt: number; endsAt: number; isPaced: boolean };

/**
 * Divides the time of a quick run among its rule files in proportion to their measured times: on a slow machine every file runs fewer
 * rules, instead of the last files none.
 */
export function slotsOf(files: readonly string[], { startsAt, endsAt, isPaced }: RunTime): Record<string, TimeSlot> {
  const weightOf = (file: string): number => measuredTimeOf(familyOf(file)) + 20;
  const total = files.reduce((sum, file) => sum + weightOf(file), 0);
  const available = Math.max(minimumMs, endsAt - startsAt);
  let used = 0;
  return Object.fromEntries(
    inOrder(files.map((file) => `/${file}`)).map((path) => {
      const file = path.slice(1);
      used += weightOf(file);
      const slot = {
        endsAt: startsAt + (available * used) / total,
        duration: (available * weightOf(file)) / total,
        latest: startsAt + (isPaced ? 1 : 2) * available,
      };
      return [file, slot];
    }),
  );
}
