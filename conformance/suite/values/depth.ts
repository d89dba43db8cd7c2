// How much of a rule a run does: all values, or a sample; in a quick run until the time of its file is over.

import { AsyncLocalStorage } from "node:async_hooks";
import { createHash } from "node:crypto";
import type { TestContext } from "vitest";
import { isOffline } from "../contract/offline-rules.ts";
import { kindOf, sampleSize, seeded } from "./run-settings.ts";
import { endAsNotRun, running } from "./running.ts";
import { countedIfTried, countSample, leftOutForTime } from "./score.ts";
import { deadlineOf, target } from "./target.ts";

// The time of the running rule file in a quick run: when it is over, no further rule and no further value is tried.

/** Why a quick run leaves out a rule, or ends it. */
export const timeReason = "left out to end in time: --seconds allows more";

/** A value is left out because its request would have to wait until after the time of its rule file. */
class ValueLeftOut extends Error {}

export const isValueLeftOut = (error: unknown): boolean => error instanceof ValueLeftOut;

const begunAt = new Map<string, number>();
const furtherValues = new AsyncLocalStorage<true>();

/** Whether the time of a rule file is over. The first call for a file notes that its rules begin. */
const isFileOver = (file: string): boolean => isAfterFile(file, Date.now());

/** Whether the time of the running rule's file is over. */
export function isTimeOver(): boolean {
  const file = running()?.file.name;
  return file !== undefined && isFileOver(file);
}

/** Tries a value that the rule can do without: where it would have to wait until after the time, it throws what `isValueLeftOut` knows. */
export const asFurtherValue = <T>(attempt: () => Promise<T>): Promise<T> =>
  furtherValues.run(true, () => countedIfTried(attempt, isValueLeftOut));

/** Ends the running rule as "not run" where values were left out before: what it checks now may need them. */
export function expectAllTried(): void {
  if (isRuleRunning() && leftOutForTime() > 0) endAsNotRun(timeReason);
}

const cleaningUp = new AsyncLocalStorage<true>();

/** Undoes what a rule did on the server, also when its time is over. */
export const cleanUp = <T>(undo: () => Promise<T>): Promise<T> => cleaningUp.run(true, undo);

/**
 * Before a wait for the server's rate limit: leaves out the value that is being tried, or ends the running rule as "not run", where the wait
 * would end after the time. What a rule cleans up when it has ended waits all the same.
 */
export function expectTimeToWait(milliseconds: number): void {
  const file = running()?.file.name;
  if (milliseconds <= 0 || file === undefined || !isRuleRunning()) return;
  const at = Date.now() + milliseconds;
  if (furtherValues.getStore() && isAfterFile(file, at)) throw new ValueLeftOut("the time of the rule file is over");
  if (at > (target().slots?.[file]?.latest ?? Number.POSITIVE_INFINITY)) endAsNotRun(timeReason);
}

/** Not while it cleans up, in its body or in a hook after it. */
const isRuleRunning = (): boolean => running()?.result?.state === "run" && !cleaningUp.getStore();

function isAfterFile(file: string, at: number): boolean {
  const begun = begunAt.get(file) ?? Date.now();
  begunAt.set(file, begun);
  const slot = target().slots?.[file];
  return slot !== undefined && at > deadlineOf(slot, begun);
}

// All values of a rule, or a sample of them.

/** Number of values of a property in this run; `full`: in a full run. `holds` applies it by itself. */
export const runs = (full: number): number => sampleSize(target().sample, full);

/** Counts the values that a sample leaves out, and how many of them the depth would have tried. */
export function countSampled(full: number, chosen: number): void {
  const ofDepth = sampleSize(target().wanted, full);
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
  void (target().depth === "quick" && context.skip(`not run: only with --depth standard: ${why}`));

/** Why a rule is not run on a server that limits the rate. */
const rateLimitReason = "left out, because the server limits the rate";

/** Why a quick run leaves this rule out; null: it runs it. The seed decides; rules without requests always run. */
export function sampledOut(test: TestContext["task"]): string | null {
  const { seed, wanted, sample } = target();
  if (isOffline(test) || test.meta.existence) return null;
  if (isFileOver(test.file.name)) return timeReason;
  const kind = kindOf(test.file.name);
  const place = createHash("sha256").update(`${seed} ${test.fullName}`).digest().readUInt32BE() / 2 ** 32;
  if (place < sample[kind]) return null;
  const ofDepth = wanted[kind];
  return place < ofDepth ? rateLimitReason : `only with --depth standard: a quick run takes one in ${Math.round(1 / ofDepth)} of these`;
}
