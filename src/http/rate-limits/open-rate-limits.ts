// Opens the rate limits that the operator configured: off, or counted in this process, in its primary, or in Redis for all processes.

import cluster from "node:cluster";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import { openRedis } from "../../db/redis.ts";
import { type ConfiguredCounters, type FailureCounters, memoryCounters, redisCounters } from "./failure-counters.ts";
import { memoryBuckets } from "./memory-buckets.ts";
import { type PublishedLimits, policiesOf } from "./policies.ts";
import { primaryBuckets, primaryCounters } from "./primary-buckets.ts";
import { type Limits, makeLimits, noLimits } from "./rate-limits.ts";
import { redisBuckets } from "./redis-buckets.ts";
import { type SharedBuckets, withFallback } from "./shared-buckets.ts";
import type { Policy } from "./token-bucket.ts";

export type RateLimitDeps = {
  config: Pick<Config, "rateLimits" | "limitOverrides" | "limitStoreTimeoutMs" | "redisUrl" | "brand">;
  published: PublishedLimits;
  log: Logger;
  metrics: {
    limited: (limit: string) => void;
    /** Called when Redis, or the primary, did not answer. */
    countedLocally: () => void;
  };
};

export type OpenLimits = {
  limits: Limits;
  /** Counters of failed logins and client authentications. Null when limits are off. */
  failures: ConfiguredCounters | null;
  /** Resolves when a shared store can be asked, or after a short time without: until then each process would count for itself. */
  ready: Promise<void>;
  close: () => void;
};

/** Throws an Error when RATE_LIMITS names a limit that the contract does not have. */
export function openLimits({ config, published, log, metrics }: RateLimitDeps): OpenLimits {
  const policies = policiesOf(published, config.limitOverrides);
  if (!config.rateLimits) return { limits: noLimits, failures: null, ready: Promise.resolve(), close: () => {} };
  const counted = ({ shared, counters, ...store }: Counting): OpenLimits => {
    const memory = memoryBuckets();
    const buckets = shared ? withFallback(shared, memory, metrics.countedLocally) : memory;
    return { limits: makeLimits(policies, buckets, metrics.limited), failures: configuredCounters(counters, policies), ...store };
  };
  return counted(openCounting(config, log));
}

/** Where requests are counted. `shared` is null when they are counted only in this process. */
type Counting = { shared: SharedBuckets | null; counters: FailureCounters; ready: Promise<void>; close: () => void };

function openCounting({ redisUrl, brand, limitStoreTimeoutMs: timeoutMs }: RateLimitDeps["config"], log: Logger): Counting {
  if (redisUrl) {
    const { client, connected: ready, close } = openRedis(redisUrl, { name: "limits", log });
    return { shared: redisBuckets(client, brand, timeoutMs), counters: redisCounters(client, brand, timeoutMs), ready, close };
  }
  const ready = Promise.resolve();
  if (cluster.isWorker) return { shared: primaryBuckets(timeoutMs), counters: primaryCounters, ready, close: () => {} };
  return { shared: null, counters: memoryCounters, ready, close: () => {} };
}

function configuredCounters(counters: FailureCounters, policies: readonly Policy[]): ConfiguredCounters {
  const ofContract = (limit: string) => {
    const policy = policies.find(({ name }) => name === limit);
    if (!policy) throw new Error(`the contract has no rate limit "${limit}"`);
    return counters(limit, { points: policy.quota, duration: policy.window });
  };
  return { counters, ofContract };
}
