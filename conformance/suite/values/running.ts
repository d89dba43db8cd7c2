// The running test, and how it ends as "not run".

import { setTimeout as sleep } from "node:timers/promises";
import { TestRunner } from "vitest";
import { ruleTookTooLong } from "./run-settings.ts";
import { target } from "./target.ts";

declare module "vitest" {
  interface TaskMeta {
    /** Why the rule was not run, where that turned out while it ran. */
    notRun?: string;
  }
}

/** The running test; undefined while files are collected and in hooks around a whole file. */
export const running = (): ReturnType<typeof TestRunner.getCurrentTest> | undefined => TestRunner.getCurrentTest();

/** Ends the running rule as "not run", also where the error is caught. */
export function endAsNotRun(reason: string): never {
  const test = running();
  if (test) {
    test.meta.notRun = reason;
    test.context.skip(`not run: ${reason}`);
  }
  throw new Error(`not run: ${reason}`);
}

/** Whether vitest's `skip` has thrown the error, in this rule or in what it shares with others. */
export const isNotRun = (error: unknown): boolean => error instanceof Error && "code" in error && error.code === "VITEST_PENDING";

// The time of a rule against a server of someone else. Such a server may limit the rate of requests, or wait for somebody to approve a
// client: that waiting is not the rule's time.

const minPauseMs = 100;

let waiting = 0;
let waitingSince = 0;
let waitedMs = 0;

/** Waits for something that takes none of the rule's time. */
export async function outsideOfRule<T>(wait: () => Promise<T>): Promise<T> {
  if (waiting === 0) waitingSince = performance.now();
  waiting += 1;
  try {
    return await wait();
  } finally {
    waiting -= 1;
    if (waiting === 0) waitedMs += performance.now() - waitingSince;
  }
}

const totalWaitedMs = (): number => waitedMs + (waiting > 0 ? performance.now() - waitingSince : 0);

/** Runs a rule; throws when it takes too long. On our own servers, where nothing waits, vitest's time limit does that. */
export async function runWithinLimit(run: () => Promise<void>): Promise<void> {
  const { foreign, limits } = target();
  if (!foreign) return run();
  const ended = new AbortController();
  try {
    await Promise.race([run(), throwWhenLate(limits.rule, ended.signal)]);
  } finally {
    ended.abort();
  }
}

async function throwWhenLate(seconds: number, signal: AbortSignal): Promise<never> {
  const [began, waitedBefore] = [performance.now(), totalWaitedMs()];
  for (;;) {
    const leftMs = seconds * 1000 - (performance.now() - began) + (totalWaitedMs() - waitedBefore);
    if (leftMs <= 0) throw new Error(ruleTookTooLong(seconds));
    await sleep(Math.max(leftMs, minPauseMs), undefined, { signal });
  }
}
