// Bounds how long a caller waits for a result.

import { setTimeout as sleep } from "node:timers/promises";

/** Resolves to null after `ms`; the work goes on, and its result is dropped. */
export async function resultWithin<T>(ms: number, work: Promise<T>): Promise<T | null> {
  const timeout = new AbortController();
  const late = sleep(ms, null, { signal: timeout.signal }).catch(() => null);
  return Promise.race([work, late]).finally(() => timeout.abort());
}
