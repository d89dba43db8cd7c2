// Where requests and failures are counted: in this process, in the memory of its primary, or in Redis for all processes. While these are
// unavailable, the process counts on its own.

import cluster, { type Worker } from "node:cluster";
import { type Buckets, memoryBuckets, type Policy, type State, type Stored, state, type Taken, take, tokenMs } from "./token-bucket.ts";

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

// `take` of token-bucket.ts, in one step on the server. Returns the present time and the bucket as it was before, in milliseconds as text, because
// Redis would remove the fraction of a number. ARGV: tokens, milliseconds of a token, burst, and of a bucket that refills at once its window.
const script = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local fullAt, used = string.match(redis.call('GET', KEYS[1]) or '', '(%S+) (%S+)')
fullAt, used = tonumber(fullAt or now), tonumber(used or 0)
if fullAt <= now then fullAt, used = now, 0 end
local tokens, perToken, burst, window = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local after, left, allowed = fullAt, 0, true
if window > 0 then
  left = math.max(0, used + tokens)
  allowed = left <= burst
  if fullAt == now then after = now + window end
else
  after = fullAt + tokens * perToken
  allowed = after - now <= burst * perToken + 0.001
end
if tokens ~= 0 and allowed and after > now then
  redis.call('SET', KEYS[1], string.format('%.3f %d', after, left), 'PX', math.ceil(after - now))
end
return { string.format('%.3f', now), string.format('%.3f', fullAt), tostring(used) }`;

/** Rejects when Redis takes longer to answer. `prefix` begins every key. */
export function redisBuckets(redis: ScriptRunner, prefix: string, timeoutMs: number): SharedBuckets {
  /** With 0 tokens the bucket is only read. */
  const runScript = async (policy: Policy, key: string, tokens = 0): Promise<Stored & { now: number }> => {
    const { burst, window, refillsAtOnce } = policy;
    const answer = redis.eval(script, {
      keys: [`${prefix}:limit:${policy.name}:${key}`],
      arguments: [Math.min(tokens, burst), tokenMs(policy), burst, refillsAtOnce ? window * 1000 : 0].map(String),
    });
    const [now, fullAt, used] = (await withStoreTimeout(answer, timeoutMs)) as [string, string, string];
    return { now: Number(now), fullAt: Number(fullAt), used: Number(used) };
  };

  return {
    take: async (policy, key, tokens = 1) => take(policy, { ...(await runScript(policy, key, tokens)), tokens }),
    peek: async (policy, key) => {
      const { now, ...stored } = await runScript(policy, key);
      return state(policy, stored, now);
    },
  };
}

// Token buckets that all workers of one server share, in the memory of their primary.

type BucketCall = { what: "take" | "peek"; policy: Policy; key: string; tokens?: number | undefined };
type CallMessage = { bucketCalls: BucketCall[]; id: number };
type AnswerMessage = { bucketAnswers: Taken[]; id: number };

/** Call it in the primary: it answers `primaryBuckets` of the workers. */
export function countForWorkers(): void {
  const buckets = memoryBuckets();
  cluster.on("message", (worker: Worker, { bucketCalls, id }: Partial<CallMessage>) => {
    if (!bucketCalls) return;
    const bucketAnswers = bucketCalls.map(({ what, policy, key, tokens }) => buckets[what](policy, key, tokens));
    if (worker.isConnected()) worker.send({ bucketAnswers, id });
  });
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
