// Where requests and failures are counted: in this process, in the memory of its primary, or in Redis for all processes. While these are
// unavailable, the process counts on its own.

import cluster, { type Worker } from "node:cluster";
import {
  type RateLimiterAbstract,
  RateLimiterCluster,
  RateLimiterClusterMaster,
  RateLimiterMemory,
  RateLimiterRedis,
} from "rate-limiter-flexible";
import type { Redis } from "../../db/redis.ts";
import { type Buckets, memoryBuckets, type Policy, type State, state, type Taken, take, tokenMs } from "./token-bucket.ts";

/** Its methods reject when the buckets are unavailable. */
export type SharedBuckets = {
  take: (policy: Policy, key: string, tokens?: number) => Promise<Taken>;
  peek: (policy: Policy, key: string) => Promise<State>;
};

/** Uses `fallback` while `shared` rejects. `onFallback` is called for each request that is counted there. */
export function withFallback(shared: SharedBuckets, fallback: Buckets, onFallback: () => void): Buckets {
  const here = <Answer>(answer: () => Answer) => {
    onFallback();
    return answer();
  };
  return {
    take: (policy, key, tokens) => shared.take(policy, key, tokens).catch(() => here(() => fallback.take(policy, key, tokens))),
    peek: (policy, key) => shared.peek(policy, key).catch(() => here(() => fallback.peek(policy, key))),
  };
}

// Token buckets that all processes share in Redis, by the clock of Redis.

/** The method of a Redis connection that is used here. It rejects at once while there is no connection. */
export type ScriptRunner = { eval: (script: string, options: { keys: string[]; arguments: string[] }) => Promise<unknown> };

// `take` of token-bucket.ts, in one step on the server. Returns the present time and when the bucket would have been full before, in milliseconds
// as text, because Redis would remove the fraction of a number.
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local before = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
local after = before + tonumber(ARGV[1])
if after > before and after - now <= tonumber(ARGV[2]) then
  redis.call('SET', KEYS[1], string.format('%.3f', after), 'PX', math.ceil(after - now))
end
return { string.format('%.3f', now), string.format('%.3f', before) }`;

/** Rejects when Redis takes longer to answer. `prefix` begins every key. */
export function redisBuckets(redis: ScriptRunner, prefix: string, timeoutMs: number): SharedBuckets {
  /** With 0 tokens the bucket is only read. */
  const runScript = async (policy: Policy, key: string, tokens = 0): Promise<{ now: number; fullAt: number }> => {
    const perToken = tokenMs(policy);
    const answer = redis.eval(script, {
      keys: [`${prefix}:limit:${policy.name}:${key}`],
      arguments: [String(Math.min(tokens, policy.burst) * perToken), String(policy.burst * perToken + 0.001)],
    });
    const [now, before] = (await withStoreTimeout(answer, timeoutMs)) as [string, string];
    return { now: Number(now), fullAt: Number(before) };
  };

  return {
    take: async (policy, key, tokens = 1) => take(policy, { ...(await runScript(policy, key, tokens)), tokens }),
    peek: async (policy, key) => {
      const { now, fullAt } = await runScript(policy, key);
      return state(policy, fullAt, now);
    },
  };
}

// Token buckets and failure counters that all workers of one server share, in the memory of their primary.

type BucketCall = { what: "take" | "peek"; policy: Policy; key: string; tokens?: number | undefined };
type CallMessage = { bucketCalls: BucketCall[]; id: number };
type AnswerMessage = { bucketAnswers: Taken[]; id: number };

/** Call it in the primary: it answers `primaryBuckets` and `primaryCounters` of the workers. */
export function countForWorkers(): void {
  const buckets = memoryBuckets();
  cluster.on("message", (worker: Worker, { bucketCalls, id }: Partial<CallMessage>) => {
    if (!bucketCalls) return;
    const bucketAnswers = bucketCalls.map(({ what, policy, key, tokens }) => buckets[what](policy, key, tokens));
    if (worker.isConnected()) worker.send({ bucketAnswers, id });
  });
  new RateLimiterClusterMaster();
}

/** Call it in a worker. All calls in one turn of the event loop are sent in one message, and rejected when its answer takes longer. */
export function primaryBuckets(timeoutMs: number): SharedBuckets {
  const unanswered = new Map<number, (answers: Taken[]) => void>();
  let gathered: { calls: BucketCall[]; answers: Promise<Taken[]> } | null = null;
  let id = 0;
  process.on("message", ({ bucketAnswers, id }: Partial<AnswerMessage>) => {
    if (bucketAnswers && id !== undefined) unanswered.get(id)?.(bucketAnswers);
  });

  const sendGathered = (calls: BucketCall[]) => {
    const sent = ++id;
    const answers = new Promise<Taken[]>((resolve, reject) => {
      unanswered.set(sent, resolve);
      setImmediate(() => {
        gathered = null;
        const message: CallMessage = { bucketCalls: calls, id: sent };
        process.send?.(message, undefined, undefined, (error) => error && reject(error));
      });
    });
    return withStoreTimeout(answers, timeoutMs).finally(() => unanswered.delete(sent));
  };
  const callPrimary = async (call: BucketCall): Promise<Taken> => {
    if (!gathered) {
      const calls: BucketCall[] = [];
      gathered = { calls, answers: sendGathered(calls) };
    }
    const at = gathered.calls.push(call) - 1;
    return (await gathered.answers)[at] as Taken;
  };

  return {
    take: (policy, key, tokens) => callPrimary({ what: "take", policy, key, tokens }),
    peek: (policy, key) => callPrimary({ what: "peek", policy, key }),
  };
}

/**
 * Limits the wait for an answer of Redis or the primary, so that a rate limit does not delay requests. Rejects when it takes longer. What has
 * arrived while this process was busy is read first.
 */
export async function withStoreTimeout<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    const late = () => reject(new Error(`no answer within ${timeoutMs} ms`));
    timer = setTimeout(() => setImmediate(late), timeoutMs); // timers run before arrived answers are read, immediates after them
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}

// Counters of failures, such as wrong passwords.

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
