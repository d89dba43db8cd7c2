import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { memoryBuckets } from "./memory-buckets.ts";
import { redisBuckets, type ScriptRunner } from "./redis-buckets.ts";
import { withFallback } from "./shared-buckets.ts";
import type { Policy } from "./token-bucket.ts";

// Against a real Redis: src/http/rate-limits/redis-shared.test.ts. Here: what happens without one.

const policy: Policy = { name: "p", quota: 60, window: 60, burst: 2 };

test.each([
  ["refuses every command", () => Promise.reject(new Error("closed"))],
  ["never answers", () => new Promise(() => {})],
  ["answers nonsense", () => Promise.resolve(null)],
])("with a Redis that %s requests are counted in this process, and onFallback is called", async (_, evaluate) => {
  let fallbacks = 0;
  const shared = redisBuckets({ eval: evaluate } as ScriptRunner, randomUUID(), 250);
  const buckets = withFallback(shared, memoryBuckets(), () => void (fallbacks += 1));
  const taken = [await buckets.take(policy, "k"), await buckets.take(policy, "k"), await buckets.take(policy, "k")];
  expect(taken.map(({ allowed }) => allowed)).toEqual([true, true, false]);
  expect((await buckets.peek(policy, "k")).remaining).toBe(0);
  expect(fallbacks).toBe(4);
});
