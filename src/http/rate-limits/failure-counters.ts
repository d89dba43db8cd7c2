// Counters of failures, such as wrong passwords: in this process, or shared by all processes through Redis.

import { type RateLimiterAbstract, RateLimiterCluster, RateLimiterMemory, RateLimiterRedis } from "rate-limiter-flexible";
import type { Redis } from "../../db/redis.ts";
import { withStoreTimeout } from "./shared-buckets.ts";

/** `points` in `duration` seconds. */
type FailureLimit = Readonly<{ points: number; duration: number }>;

/** Creates a counter of failures. Counters with the same name count together. */
export type FailureCounters = (name: string, limit: FailureLimit) => RateLimiterAbstract;

/** The counters of failures that the operator configured. */
export type ConfiguredCounters = Readonly<{
  counters: FailureCounters;
  /** The counter of a limit of the contract, with the operator's numbers when there are any. Throws an Error for another name. */
  ofContract: (limit: string) => RateLimiterAbstract;
}>;

export const memoryCounters: FailureCounters = (name, limit) => new RateLimiterMemory({ keyPrefix: name, ...limit });

/** Counters in the memory of the primary, for a worker. `countForWorkers` answers them. */
export const primaryCounters: FailureCounters = (name, limit) => new RateLimiterCluster({ keyPrefix: name, ...limit });

/** While Redis is unavailable, or takes longer to answer, each process counts on its own. `prefix` begins every key. */
export function redisCounters(redis: Redis["client"], prefix: string, timeoutMs: number): FailureCounters {
  const storeClient = withTimeouts(redis, timeoutMs);
  return (name, limit) =>
    new RateLimiterRedis({
      storeClient,
      keyPrefix: `${prefix}:failures:${name}`,
      ...limit,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
      insuranceLimiter: memoryCounters(name, limit),
    });
}

/** The methods of the client that the limiter uses, with a time-out: without it they wait as long as the connection is open. */
function withTimeouts(redis: Redis["client"], timeoutMs: number) {
  return {
    get isReady() {
      return redis.isReady;
    },
    eval: (script: string, options: { keys: string[]; arguments: string[] }) => withStoreTimeout(redis.eval(script, options), timeoutMs),
    multi: () => {
      const steps = redis.multi();
      const chain = {
        get: (key: string) => {
          steps.get(key);
          return chain;
        },
        pTTL: (key: string) => {
          steps.pTTL(key);
          return chain;
        },
        exec: () => withStoreTimeout(steps.exec(), timeoutMs),
      };
      return chain;
    },
  };
}
