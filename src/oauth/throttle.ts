// Limits failed attempts per key: after too many, further attempts are refused for a while without being checked.

import { type RateLimiterAbstract, RateLimiterRes } from "rate-limiter-flexible";
import { Problem } from "../http/problem.ts";

export type FailureThrottle = Readonly<{
  /** Throws rate_limited when this key has reached its limit. */
  check: (key: string) => Promise<void>;
  /** Counts a failure. Throws rate_limited when concurrent attempts have reached the limit in the meantime. */
  count: (key: string) => Promise<void>;
}>;

/** Counts failures in `limiter`. `detail` is the text of the problem when the limit is reached. */
export function failureThrottle(limiter: RateLimiterAbstract, detail = "Too many failed authentications of this client."): FailureThrottle {
  return {
    check: async (key) => {
      const used = await limiter.get(key);
      if (used && used.msBeforeNext > 0 && used.consumedPoints >= limiter.points) throw rateLimited(used, detail);
    },
    count: async (key) => {
      await limiter.consume(key).catch((refusal: unknown) => {
        throw refusal instanceof RateLimiterRes ? rateLimited(refusal, detail) : refusal;
      });
    },
  };
}

/** For RATE_LIMITS=off. */
export const noThrottle: FailureThrottle = { check: async () => {}, count: async () => {} };

function rateLimited({ msBeforeNext }: RateLimiterRes, detail: string): Problem {
  const seconds = String(Math.max(1, Math.ceil(msBeforeNext / 1000)));
  return new Problem("rate_limited", detail, { headers: { "Retry-After": seconds } });
}
