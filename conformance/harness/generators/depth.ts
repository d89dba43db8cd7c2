import { createHash } from "node:crypto";

import type { TestContext } from "vitest";

import { isOffline } from "../client/offline-rules.ts";
import { countLeftOut } from "../client/score.ts";
import { target } from "../server/target.ts";

const fewest = 5;
const most = 100;

/** How many values a property gets that gets `full` of them when there is time. `holds` asks by itself. */
export function runs(full: number): number {
  const { values } = target().sample;
  if (values === 1) return full;
  return Math.min(full, most, Math.max(fewest, Math.ceil(full * values)));
}

/** All of them, or when there is little time a seeded sample that holds the first, the last and `always`; in their order. */
export function some<T>(values: readonly T[], always: readonly T[] = []): T[] {
  const wanted = (value: T, index: number): boolean => index === 0 || index === values.length - 1 || always.includes(value);
  const kept = new Set(values.flatMap((value, index) => (wanted(value, index) ? [index] : [])));
  const random = randomly(target().seed + values.length);
  while (kept.size < runs(values.length)) kept.add(Math.floor(random() * values.length));
  countLeftOut(values.length - kept.size);
  return values.filter((_, index) => kept.has(index));
}

/** Leaves the rule to full runs; `why`: what takes long. */
export const fullOnly = (context: TestContext, why: string): void =>
  void (target().depth === "quick" && context.skip(`not run: full only: ${why}`));

/** Why this rule is left out of a run that has no time for all; null: it is not. The seed decides; what sends no request always runs. */
export function sampledOut(test: TestContext["task"]): string | null {
  const { seed, sample, pace } = target();
  if (isOffline(test)) return null;
  const share = /^(interface|derived)\//.test(test.file.name) ? sample.rules : sample.particular;
  const hash = createHash("sha256").update(`${seed} ${test.fullName}`).digest();
  if (hash.readUInt32BE() / 2 ** 32 < share) return null;
  return pace === null
    ? `full only: a quick run takes one in ${Math.round(1 / share)} of these`
    : "left out, because the server limits the rate";
}

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
function randomly(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
