// How much of a rule a run does: all values, or a sample.

import { createHash } from "node:crypto";
import type { TestContext } from "vitest";
import { isOffline } from "../contract/offline-rules.ts";
import { isFileOver, timeReason } from "./file-time.ts";
import { kindOf, sampleSize, samples } from "./sample.ts";
import { countSample } from "./score.ts";
import { seeded } from "./seed.ts";
import { target } from "./target.ts";

/** Number of values of a property in this run; `full`: in a full run. `holds` applies it by itself. */
export const runs = (full: number): number => sampleSize(target().sample, full);

/** Counts the values that a sample leaves out, and how many of them the depth would have tried. */
export function countSampled(full: number, chosen: number): void {
  const ofDepth = sampleSize(samples[target().depth], full);
  countSample(full, { leftOut: full - chosen, forRate: Math.max(0, ofDepth - chosen) });
}

/** All values in a full run; else a seeded sample in their order that contains the first, the last and `always`. */
export function some<T>(values: readonly T[], always: readonly T[] = []): T[] {
  const isAlwaysKept = (value: T, index: number): boolean => index === 0 || index === values.length - 1 || always.includes(value);
  const chosen = new Set(values.flatMap((value, index) => (isAlwaysKept(value, index) ? [index] : [])));
  const random = seeded(target().seed + values.length);
  while (chosen.size < runs(values.length)) chosen.add(Math.floor(random() * values.length));
  countSampled(values.length, chosen.size);
  return values.filter((_, index) => chosen.has(index));
}

/** Skips the rule in a quick run; `why`: what takes long. */
export const fullOnly = (context: TestContext, why: string): void =>
  void (target().depth === "quick" && context.skip(`not run: only with --depth full: ${why}`));

/** Why a rule is not run on a server that limits the rate. */
const rateLimitReason = "left out, because the server limits the rate";

/** Why a quick run leaves this rule out; null: it runs it. The seed decides; rules without requests always run. */
export function sampledOut(test: TestContext["task"]): string | null {
  const { seed, depth, sample } = target();
  if (isOffline(test) || test.meta.existence) return null;
  if (isFileOver(test.file.name)) return timeReason;
  const kind = kindOf(test.file.name);
  const place = createHash("sha256").update(`${seed} ${test.fullName}`).digest().readUInt32BE() / 2 ** 32;
  if (place < sample[kind]) return null;
  const ofDepth = samples[depth][kind];
  return place < ofDepth ? rateLimitReason : `only with --depth full: a quick run takes one in ${Math.round(1 / ofDepth)} of these`;
}
