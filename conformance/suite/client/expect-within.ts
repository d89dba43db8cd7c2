// An expectation for what a server promises within a time.

import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import type { Reply } from "../contract/http-request.ts";

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

// An expectation for the time at which something happens.

/** Less than the smallest step between time zones, and more than clocks of a proxy, a server and its database differ. */
const toleranceMs = 14 * 60_000;

/** Expects an instant in UTC, and about the time of the answer's `Date` (RFC 9110 6.6.1) if it has one: the server's clock need not be ours. */
export function expectNow(instant: string | null, { headers }: Pick<Reply, "headers">): void {
  expect(instant).toMatch(/Z$/);
  if (headers.date === undefined) return;
  expect(
    Math.abs(Date.parse(instant ?? "") - Date.parse(headers.date)),
    `milliseconds between ${instant} and the time of the answer`,
  ).toBeLessThan(toleranceMs);
}

// An expectation for lists of faults.

/** Fails with these faults as they stand, a line each, where there are any. */
export function expectNone(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(faults.join("\n  "));
}
