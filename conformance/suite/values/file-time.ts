// The time of the running rule file in a quick run: when it is over, no further rule and no further value is tried.

import { AsyncLocalStorage } from "node:async_hooks";
import { endAsNotRun, running } from "./running.ts";
import { countedIfTried, leftOutForTime } from "./score.ts";
import { deadlineOf, target } from "./target.ts";

/** Why a quick run leaves out a rule, or ends it. */
export const timeReason = "left out to end in time: --seconds allows more";

/** A value is left out because its request would have to wait until after the time of its rule file. */
class ValueLeftOut extends Error {}

export const isValueLeftOut = (error: unknown): boolean => error instanceof ValueLeftOut;

const begunAt = new Map<string, number>();
const furtherValues = new AsyncLocalStorage<true>();

/** Whether the time of a rule file is over. The first call for a file notes that its rules begin. */
export const isFileOver = (file: string): boolean => isAfterFile(file, Date.now());

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
