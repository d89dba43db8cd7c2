import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Likelihood } from "./rate-limits.ts";
import { makeLimits } from "./rate-limits.ts";
import { memoryBuckets } from "./token-bucket.ts";

const failed = { name: "failed", quota: 1, window: 60, burst: 60 };
const [locked, sameNetwork, elsewhere] = ["2001:db8::1", "2001:db8::2", "192.0.2.1"];

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** Limits of a process that has seen as many bad credentials from an address as it may send. */
function lockedLimits() {
  const limits = makeLimits([failed], memoryBuckets());
  for (let count = 0; count < failed.burst; count += 1) limits.failed(locked);
  const admits = (address: string, likelihood: Likelihood): boolean => {
    try {
      limits.admit(address, likelihood);
      return true;
    } catch {
      return false;
    }
  };
  return { admits };
}

test("a credential that was valid here before is admitted in a locked network, and a request without one is refused", () => {
  const { admits } = lockedLimits();
  expect([admits(sameNetwork, "proven"), admits(sameNetwork, "none"), admits(elsewhere, "none")]).toEqual([true, false, true]);
});

test("credentials that were never looked up share 20 look-ups in a locked network, and 5 more each second", () => {
  const { admits } = lockedLimits();
  const admitted = Array.from({ length: 30 }, (_, index) => admits(index % 2 === 0 ? locked : sameNetwork, "plausible"));
  expect(admitted.lastIndexOf(true)).toBe(19);
  expect(admitted.slice(0, 20)).not.toContain(false);
  expect(admits(elsewhere, "plausible")).toBe(true);
  vi.advanceTimersByTime(1_000);
  expect(Array.from({ length: 6 }, () => admits(locked, "plausible"))).toEqual([true, true, true, true, true, false]);
});
