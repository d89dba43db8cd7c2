// Token buckets that all processes share in Redis, by the clock of Redis.

import type { SharedBuckets } from "./shared-buckets.ts";
import { withStoreTimeout } from "./store-timeout.ts";
import { type Policy, state, take, tokenMs } from "./token-bucket.ts";

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
