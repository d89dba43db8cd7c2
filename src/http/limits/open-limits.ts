// The limits that the operator chose: off, in this process, or shared by all processes through Redis.

import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import { openRedis } from "../../db/redis.ts";
import type { Policy } from "./bucket.ts";
import { type FailureCounters, type FailureLimit, memoryCounters, redisCounters } from "./failures.ts";
import { type Limits, makeLimits, noLimits } from "./limits.ts";
import { memoryBuckets } from "./memory.ts";
import { type PublishedLimits, policiesOf } from "./policies.ts";
import { redisBuckets } from "./redis.ts";

export type LimitParts = {
  config: Pick<Config, "rateLimits" | "limitOverrides" | "redisUrl" | "brand">;
  published: PublishedLimits;
  log: Logger;
  metrics: {
    limited: (limit: string) => void;
    /** Redis did not answer. */
    limitedAlone: () => void;
  };
};

export type OpenLimits = {
  limits: Limits;
  /** Count failed logins and clients, by the operator's numbers where there are any. Null: nobody is limited. */
  failures: FailureCounters | null;
  close: () => void;
};

/** Throws an Error when RATE_LIMITS names a limit that the contract does not have. */
export function openLimits({ config, published, log, metrics }: LimitParts): OpenLimits {
  const policies = policiesOf(published, config.limitOverrides);
  if (!config.rateLimits) return { limits: noLimits, failures: null, close: () => {} };
  const asConfigured = (counters: FailureCounters): FailureCounters => {
    const { limitOverrides } = config;
    return (name, limit) => counters(name, limitOverrides[name] ? failureLimit(limitOverrides[name]) : limit);
  };
  const memory = memoryBuckets();
  if (!config.redisUrl)
    return { limits: makeLimits(policies, memory, metrics.limited), failures: asConfigured(memoryCounters), close: () => {} };
  const redis = openRedis(config.redisUrl, { name: "limits", log });
  const shared = redisBuckets({ redis: redis.client, fallback: memory, onFallback: metrics.limitedAlone, prefix: config.brand });
  return {
    limits: makeLimits(policies, shared, metrics.limited),
    failures: asConfigured(redisCounters(redis.client, config.brand)),
    close: redis.close,
  };
}

function failureLimit({ quota, window }: Omit<Policy, "name">): FailureLimit {
  return { points: quota, duration: window };
}
