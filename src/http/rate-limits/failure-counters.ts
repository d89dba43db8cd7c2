// Counters of failures, such as wrong passwords: in this process, or shared by all processes through Redis.

import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRedis } from "rate-limiter-flexible";
import type { Redis } from "../../db/redis.ts";
import { withinPatience } from "./store-timeout.ts";

/** `points` in `duration` seconds. */
export type FailureLimit = Readonly<{ points: number; duration: number }>;

/** Makes a counter; its points are failures. Counters of the same name count together. */
export type FailureCounters = (name: string, limit: FailureLimit) => RateLimiterAbstract;

export const memoryCounters: FailureCounters = (name, limit) => new RateLimiterMemory({ keyPrefix: name, ...limit });

/** While Redis is away each process counts for itself. `prefix` begins every key. */
export function redisCounters(redis: Redis["client"], prefix: string): FailureCounters {
  const storeClient = impatient(redis);
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

/** What the limiter uses of a client. It would wait for an answer as long as the connection stands. */
function impatient(redis: Redis["client"]) {
  return {
    get isReady() {
      return redis.isReady;
    },
    eval: (script: string, options: { keys: string[]; arguments: string[] }) => withinPatience(redis.eval(script, options)),
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
        exec: () => withinPatience(steps.exec()),
      };
      return chain;
    },
  };
}
