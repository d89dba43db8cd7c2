// The rate limits of the contract: opens them as the operator configured, takes tokens, sets the headers, and refuses requests.
// Headers by draft-ietf-httpapi-ratelimit-headers-10: `q` tokens in `w` seconds; `r` are left, one more comes in `t` seconds.

import cluster from "node:cluster";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import { openRedis } from "../../db/redis.ts";
import { watchOutage } from "../../telemetry/log.ts";
import { network } from "../addresses.ts";
import { Problem } from "../problem.ts";
import { primaryBuckets, redisBuckets, type ScriptRunner, type SharedBuckets, withFallback } from "./stores.ts";
import {
  type Buckets,
  failureLimit,
  memoryBuckets,
  type Policy,
  type PublishedLimits,
  policiesOf,
  type State,
  type Taken,
} from "./token-bucket.ts";

/**
 * How likely a credential is valid, as far as is known without looking it up. `proven`: it was valid when it was last looked up.
 * `plausible`: it has the form of a credential. `none`: it cannot be one.
 */
export type Likelihood = "proven" | "plausible" | "none";

export type LimitHeaders = Readonly<Record<string, string>>;

/** The streamer of the credential, if it has one, and the tokens that the request takes, one by default. */
export type Spending = Readonly<{ streamerId?: string; tokens?: number }>;

export type Limits = {
  /**
   * Takes tokens from the policy's bucket for `key`, and from that of the streamer. Returns the headers of the answer, which describe the
   * bucket with fewer tokens left. Throws rate_limited.
   */
  spend: (policy: string, key: string, spending?: Spending) => LimitHeaders | Promise<LimitHeaders>;
  /** Throws rate_limited when too many requests from this address had no valid credential, and this one is not likely to be valid either. */
  admit: (address: string, likelihood: Likelihood) => void | Promise<void>;
  /** Counts a request without a valid credential. */
  failed: (address: string) => void | Promise<void>;
};

/** Called for each refusal, for the metrics. */
type OnLimited = (policy: string) => void;

/**
 * Credentials of an address with too many failures are still looked up at this rate when they have the right form, because other clients at the
 * same address have valid ones. Each process counts on its own, because this limits the load of its database.
 */
const lookUps: Policy = { name: "look-up", quota: 5, window: 1, burst: 20 };

/** Throws an Error when the contract names an unknown policy. */
export function makeLimits(policies: readonly Policy[], buckets: Buckets, onLimited: OnLimited = () => {}): Limits {
  const byName = new Map(policies.map((policy) => [policy.name, policy]));
  const named = (name: string) => {
    const found = byName.get(name);
    if (!found) throw new Error(`there is no rate limit "${name}"`);
    return found;
  };
  const failures = named("failed");
  const lookedUp = memoryBuckets();

  const settle = (policy: Policy, taken: Taken): LimitHeaders => {
    const headers = { "RateLimit-Policy": policyHeader(policy), RateLimit: limitHeader(policy, taken) };
    if (taken.allowed) return headers;
    onLimited(policy.name);
    throw tooMany(`Too many requests: ${inWords(policy)}.`, taken.wait, headers);
  };

  const rejectWhenEmpty = (left: State): void => {
    if (left.remaining > 0) return;
    onLimited(failures.name);
    throw tooMany("Too many requests from this address had no good credential.", left.nextIn, {});
  };

  return {
    spend: (name, key, { streamerId, tokens } = {}) => {
      const policy = named(name);
      const { ofStreamer } = policy;
      return after(buckets.take(policy, key, tokens), (own) => {
        // A refused credential takes no tokens from the bucket of its streamer.
        if (!own.allowed || !ofStreamer || streamerId === undefined) return settle(policy, own);
        return after(buckets.take(ofStreamer, streamerId, tokens), (all) =>
          all.allowed && all.remaining >= own.remaining ? settle(policy, own) : settle(ofStreamer, all),
        );
      });
    },
    admit: (address, likelihood) => {
      if (likelihood === "proven") return;
      const key = network(address);
      return after(buckets.peek(failures, key), (left) => {
        if (left.remaining === 0 && likelihood === "plausible" && lookedUp.take(lookUps, key).allowed) return;
        rejectWhenEmpty(left);
      });
    },
    failed: (address) => after(buckets.take(failures, network(address)), () => {}),
  };
}

/** For RATE_LIMITS=off. */
export const noLimits: Limits = { spend: () => ({}), admit: () => {}, failed: () => {} };

/** Calls `next` at once when the answer is there, so that most requests wait for no bucket. */
function after<Answer, Next>(answer: Answer | Promise<Answer>, next: (answer: Answer) => Next | Promise<Next>): Next | Promise<Next> {
  return answer instanceof Promise ? answer.then(next) : next(answer);
}

function policyHeader({ name, quota, window }: Policy): string {
  return `"${name}";q=${quota};w=${window}`;
}

function limitHeader({ name }: Policy, { remaining, nextIn }: Taken): string {
  return `"${name}";r=${remaining};t=${nextIn}`;
}

function inWords({ name, quota, window, burst }: Policy): string {
  return `"${name}" allows ${quota} in ${window} seconds, ${burst} of them at once`;
}

function tooMany(detail: string, wait: number, headers: LimitHeaders): Problem {
  return new Problem("rate_limited", detail, { headers: { ...headers, "Retry-After": String(wait) } });
}

// Opens the rate limits that the operator configured: off, or counted in this process, in its primary, or in Redis for all processes.

type RateLimitDeps = {
  config: Pick<Config, "rateLimits" | "limitOverrides" | "limitStoreTimeoutMs" | "redisUrl" | "brand">;
  published: PublishedLimits;
  log: Logger;
  metrics: {
    limited: (limit: string) => void;
    /** Called when Redis, or the primary, did not answer. */
    countedLocally: () => void;
  };
};

export type FailureBuckets = Readonly<{
  buckets: Buckets;
  /** A limit of the contract, with the operator's numbers when there are any. Throws an Error for another name. */
  ofContract: (limit: string) => Policy;
}>;

type OpenLimits = {
  limits: Limits;
  /** Buckets of failed logins and client authentications. Null when limits are off. */
  failures: FailureBuckets | null;
  /** Resolves when a shared store can be asked, or after a short time without: until then each process would count for itself. */
  ready: Promise<void>;
  close: () => void;
};

/** Throws an Error when RATE_LIMITS names a limit that the contract does not have. */
export function openLimits({ config, published, log, metrics }: RateLimitDeps): OpenLimits {
  const policies = policiesOf(published, config.limitOverrides);
  if (!config.rateLimits) return { limits: noLimits, failures: null, ready: Promise.resolve(), close: () => {} };
  const { shared, ready, close } = openCounting(config, log);
  const memory = memoryBuckets();
  const buckets = shared ? withFallback(shared, memory, metrics.countedLocally) : memory;
  const ofContract = (limit: string) => {
    const policy = policies.find(({ name }) => name === limit);
    if (!policy) throw new Error(`the contract has no rate limit "${limit}"`);
    return failureLimit(limit, policy);
  };
  return { limits: makeLimits(policies, buckets, metrics.limited), failures: { buckets, ofContract }, ready, close };
}

/** Where requests are counted. `shared` is null when they are counted only in this process. */
type Counting = { shared: SharedBuckets | null; ready: Promise<void>; close: () => void };

function openCounting({ redisUrl, brand, limitStoreTimeoutMs: timeoutMs }: RateLimitDeps["config"], log: Logger): Counting {
  if (redisUrl) {
    const { client, connected: ready, close } = openRedis(redisUrl, { name: "limits", log });
    return { shared: redisBuckets(watchRefusals(client, log), brand, timeoutMs), ready, close };
  }
  const ready = Promise.resolve();
  return { shared: cluster.isWorker ? primaryBuckets(timeoutMs) : null, ready, close: () => {} };
}

/** Says in the log when a Redis that is connected refuses to count, such as a replica, or one whose memory is full. */
function watchRefusals(client: ScriptRunner & { isReady: boolean }, log: Logger): ScriptRunner {
  const refusals = watchOutage(log, "Redis as the counter of rate limits");
  return {
    eval: async (script, options) => {
      try {
        const answer = await client.eval(script, options);
        refusals.ends();
        return answer;
      } catch (error) {
        if (client.isReady) refusals.begins(error);
        throw error;
      }
    },
  };
}
