// The time of a rule against a server of someone else. Such a server may limit the rate of requests, or wait for somebody to approve a
// client: that waiting is not the rule's time.

import { setTimeout as sleep } from "node:timers/promises";

import { target } from "./target.ts";
import { ruleTookTooLong } from "./time-limits.ts";

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
