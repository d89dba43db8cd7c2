// How long to wait before the next try: doubling from 0.3 s to 15 s, half of it by chance, so that many browsers don't come at once.

const first = 300;
const longest = 15_000;

/** Milliseconds before the try that follows `failures` failures in a row (1 or more). `random` gives 0 to 1. */
export function backoff(failures: number, random: () => number): number {
  const full = Math.min(longest, first * 2 ** Math.min(failures - 1, 30));
  return full * (0.5 + random() / 2);
}
