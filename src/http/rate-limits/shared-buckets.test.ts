import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, test } from "vitest";
import { redisBuckets, type ScriptRunner, withFallback, withStoreTimeout } from "./shared-buckets.ts";
import { memoryBuckets, type Policy } from "./token-bucket.ts";

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

test("an answer that arrived while this process was busy for longer than the time-out is in time", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const [[far]] = await Promise.all([once(server, "connection"), once(client, "connect")]);
  const answer = withStoreTimeout(once(client, "data"), 250);
  far.write("+PONG");
  const began = performance.now();
  while (performance.now() - began < 400); // as other requests would keep it busy
  expect(String(await answer)).toBe("+PONG");
  client.destroy();
  server.close();
});

test("what does not answer within the time-out is rejected", async () => {
  await expect(withStoreTimeout(new Promise(() => {}), 250)).rejects.toThrow("no answer within 250 ms");
});
