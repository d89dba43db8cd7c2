// Exponential back-off from 0.3 s to 15 s, half of it random, so that many browsers do not connect at the same moment.

const firstDelayMs = 300;
const maxDelayMs = 15_000;

/** Milliseconds before the attempt that follows `failures` failures in a row (1 or more). `random` returns 0 to 1. */
export function backoff(failures: number, random: () => number): number {
  const full = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(failures - 1, 30));
  return full * (0.5 + random() / 2);
}
