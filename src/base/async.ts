// Helpers for promises: steps that are each tried, loops that yield, results that a caller stops waiting for.

import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";

/** Runs one step after the other, also when one fails. Rejects at the end: with the failure, or with an AggregateError of several. */
export async function runAll(steps: readonly (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 1) throw new AggregateError(failures, `${failures.length} of ${steps.length} steps failed`);
  if (failures.length === 1) throw failures[0];
}

/** Does the work for one item after the other, also when it fails for some; then throws the first failure. */
export async function forEachInTurn<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) await work(item).catch((error) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Bounds how long a caller waits. Resolves to null after `ms`; the work goes on, and its result is dropped. */
export async function resultWithin<T>(ms: number, work: Promise<T>): Promise<T | null> {
  const timeout = new AbortController();
  const late = sleep(ms, null, { signal: timeout.signal }).catch(() => null);
  return Promise.race([work, late]).finally(() => timeout.abort());
}

/**
 * Lets the event loop serve others during long work whose steps wait for nothing. Returns a function to be called after each step: it waits
 * for the event loop when the work has kept it busy for 10 ms.
 */
export function makeYield(): () => Promise<void> | undefined {
  let since = performance.now();
  const letOthers = async (): Promise<void> => {
    await nextTurn();
    since = performance.now();
  };
  return () => (performance.now() - since < 10 ? undefined : letOthers());
}

/**
 * Shares turns of the event loop among all who call the returned function: `perTurn` of them go on at once, the others in the next turns, as
 * many in each.
 */
export function makeTurns(perTurn: number): () => Promise<void> | undefined {
  const waiting: (() => void)[] = [];
  let left = perTurn;
  let isCounted = false;
  const countTurn = () => {
    if (!isCounted) setImmediate(beginTurn);
    isCounted = true;
  };
  const beginTurn = () => {
    isCounted = false;
    const next = waiting.splice(0, perTurn);
    left = perTurn - next.length;
    if (next.length > 0) countTurn();
    for (const goOn of next) goOn();
  };
  return () => {
    countTurn();
    if (left === 0) return new Promise((resolve) => void waiting.push(resolve));
    left -= 1;
    return undefined;
  };
}
