// Lets the event loop serve others during long work whose steps wait for nothing.

import { setImmediate as nextTurn } from "node:timers/promises";

/** Returns a function to be called after each step: it waits for the event loop when the work has kept it busy for `maxBusyMs`. */
export function makeYield(maxBusyMs = 10): () => Promise<void> | undefined {
  let since = performance.now();
  const letOthers = async (): Promise<void> => {
    await nextTurn();
    since = performance.now();
  };
  return () => (performance.now() - since < maxBusyMs ? undefined : letOthers());
}
