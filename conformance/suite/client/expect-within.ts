// An expectation for what a server promises within a time.

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";

const pauseMs = 20;
/** The server keeps a promise of time by a few statements, each of which takes about as long as an answer on a busy machine. */
const answersOfDelay = 3;

/**
 * Reads until it reads what is expected, which the server promises within `promisedMs`. The time is extended by three of the slowest reads, so
 * that a busy machine makes no rule fail.
 */
export async function expectWithin<T>(promisedMs: number, read: () => Promise<T>, expected: T): Promise<void> {
  const began = performance.now();
  let slowestMs = 0;
  for (;;) {
    const sentAt = performance.now();
    const value = await read();
    const answeredAt = performance.now();
    slowestMs = Math.max(slowestMs, answeredAt - sentAt);
    if (Object.is(value, expected)) return;
    if (sentAt - began > promisedMs + answersOfDelay * slowestMs) return expect(value).toBe(expected);
    await sleep(pauseMs);
  }
}
