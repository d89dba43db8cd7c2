// The limits that the operator chose: off, or counted in this process, in its primary, or through Redis for all processes there are.

import cluster from "node:cluster";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import { openRedis } from "../../db/redis.ts";
import { type FailureCounters, type FailureLimit, memoryCounters, redisCounters } from "./failure-counters.ts";
import { memoryBuckets } from "./memory-buckets.ts";
import { type PublishedLimits, policiesOf } from "./policies.ts";
import { primaryBuckets, primaryCounters } from "./primary-buckets.ts";
import { type Limits, makeLimits, noLimits } from "./rate-limits.ts";
import { redisBuckets } from "./redis-buckets.ts";
import { orElse, type SharedBuckets } from "./shared-buckets.ts";
import type { Policy } from "./token-bucket.ts";

export type LimitParts = {
  config: Pick<Config, "rateLimits" | "limitOverrides" | "redisUrl" | "brand">;
  published: PublishedLimits;
  log: Logger;
  metrics: {
    limited: (limit: string) => void;
    /** Redis, or the primary, did not answer. */
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
  const counted = ({ shared, counters, close }: Counting): OpenLimits => {
    const memory = memoryBuckets();
    const buckets = shared ? orElse(shared, memory, metrics.limitedAlone) : memory;
    return { limits: makeLimits(policies, buckets, metrics.limited), failures: asConfigured(counters), close };
  };
  return counted(openCounting(config, log));
}

/** Where is counted. `shared` null: only here. */
type Counting = { shared: SharedBuckets | null; counters: FailureCounters; close: () => void };

function openCounting({ redisUrl, brand }: LimitParts["config"], log: Logger): Counting {
  if (redisUrl) {
    const { client, close } = openRedis(redisUrl, { name: "limits", log });
    return { shared: redisBuckets(client, brand), counters: redisCounters(client, brand), close };
  }
  if (cluster.isWorker) return { shared: primaryBuckets(), counters: primaryCounters, close: () => {} };
  return { shared: null, counters: memoryCounters, close: () => {} };
}

function failureLimit({ quota, window }: Omit<Policy, "name">): FailureLimit {
  return { points: quota, duration: window };
}
