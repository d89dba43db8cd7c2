// Measures waits for tests, in a time that stands still while a busy machine lets this process wait.

const stepMs = 10;

type Clock = { elapsedMs: () => number; stop: () => void };

/**
 * Counts milliseconds in which this process could run. A step begins when the one before it was run: a process that gets no processor for
 * seconds counts one of them.
 */
function startClock(onStep: (elapsedMs: number) => void = () => {}): Clock {
  let elapsed = 0;
  const timer = setInterval(() => {
    elapsed += stepMs;
    onStep(elapsed);
  }, stepMs);
  return { elapsedMs: () => elapsed, stop: () => clearInterval(timer) };
}

/** Resolves to how long the work took, in milliseconds in which this process could run: at most those of a clock on the wall. */
export async function runningMs(work: () => Promise<unknown>): Promise<number> {
  const clock = startClock();
  await work().finally(clock.stop);
  return clock.elapsedMs();
}

/** Rejects when this process could run for so long and the promise has not settled. */
export async function settledWithin<T>(ms: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const clock = startClock((elapsed) => {
    if (elapsed >= ms) late.reject(new Error(`nothing within ${ms} ms`));
  });
  return Promise.race([promise, late.promise]).finally(clock.stop);
}
