// How often a client may fail to authenticate: too many on one key, and it is refused for a while without being looked at.

import { type RateLimiterAbstract, RateLimiterRes } from "rate-limiter-flexible";
import { Problem } from "../http/problem.ts";
import { type FailureLimit, memoryCounters } from "../http/rate-limits/failure-counters.ts";

export type FailureThrottle = Readonly<{
  /** Throws rate_limited when this key has no failures left. */
  check: (key: string) => Promise<void>;
  /** Counts a failure. Throws rate_limited when others that ran at once have used the last one up. */
  count: (key: string) => Promise<void>;
}>;

/** Failures of one client from one address: "failed-client" of the contract's limits. */
export const clientFailures: FailureLimit = { points: 20, duration: 60 };

/** Counts wherever the limiter does; its points are failures. `detail`: what is said to who has too many. */
export function failureThrottle(limiter: RateLimiterAbstract, detail = "Too many failed authentications of this client."): FailureThrottle {
  return {
    check: async (key) => {
      const used = await limiter.get(key);
      if (used && used.msBeforeNext > 0 && used.consumedPoints >= limiter.points) throw tooMany(used, detail);
    },
    count: async (key) => {
      await limiter.consume(key).catch((refusal: unknown) => {
        throw refusal instanceof RateLimiterRes ? tooMany(refusal, detail) : refusal;
      });
    },
  };
}

/** Counts in this process. */
export function memoryThrottle(limit: FailureLimit): FailureThrottle {
  return failureThrottle(memoryCounters("failed-client", limit));
}

/** For RATE_LIMITS=off. */
export const noThrottle: FailureThrottle = { check: async () => {}, count: async () => {} };

function tooMany({ msBeforeNext }: RateLimiterRes, detail: string): Problem {
  const seconds = String(Math.max(1, Math.ceil(msBeforeNext / 1000)));
  return new Problem("rate_limited", detail, { headers: { "Retry-After": seconds } });
}
