import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runningMs } from "../../base/testing-time.ts";
import { until } from "../../db/testing.ts";
import { type TemporaryRedis, temporaryRedis } from "../../notifier/testing-brokers.ts";
import { openLimits } from "./rate-limits.ts";
import { redisBuckets, type ScriptRunner, withFallback, withStoreTimeout } from "./stores.ts";
import { failureLimit, memoryBuckets, type Policy } from "./token-bucket.ts";

// Several processes, each with a connection of its own to one real Redis.

const hasRedis = process.env.CI !== undefined || spawnSync("redis-server", ["--version"]).status === 0;
if (!hasRedis) test.skip("not run: there is no redis-server (apt-get install redis-server)");

const published = { p: { quota: 1, window: 600, burst: 10 }, failed: { quota: 1, window: 600, burst: 10 } };

let redis: TemporaryRedis;
let alone = 0;
const open: { close: () => void }[] = [];

/** What one process counts with. */
function join(limitOverrides = {}, log = pino({ level: "silent" })) {
  const config = { rateLimits: true, limitOverrides, redisUrl: redis.url, limitStoreTimeoutMs: 250, brand: "namjai" };
  const metrics = { limited: () => {}, countedLocally: () => void (alone += 1) };
  const joined = openLimits({ config, published, log, metrics });
  open.push(joined);
  const failures = joined.failures as NonNullable<typeof joined.failures>;
  const spend = async (key: string) => {
    try {
      await joined.limits.spend("p", key);
      return true;
    } catch {
      return false;
    }
  };
  return { spend, buckets: failures.buckets, ofContract: failures.ofContract };
}

/** Resolves once it counts in Redis. */
async function connected<Joined extends { spend: (key: string) => Promise<boolean> }>(joined: Joined): Promise<Joined> {
  await until(async () => {
    const before = alone;
    await joined.spend(randomUUID());
    return alone === before;
  });
  return joined;
}

type Joined = ReturnType<typeof join>;
const fail = async ({ buckets }: Pick<Joined, "buckets">, limit: Policy, key: string) => (await buckets.take(limit, key)).allowed;
const trues = (answers: boolean[]) => answers.filter(Boolean).length;

describe.runIf(hasRedis)("with one Redis", () => {
  beforeEach(async () => {
    alone = 0;
    redis = await temporaryRedis();
  });
  afterEach(async () => {
    for (const { close } of open.splice(0)) close();
    await redis.stop();
  });

  test("three processes with one Redis share one bucket", async () => {
    const processes = [await connected(join()), await connected(join()), await connected(join())];
    const key = randomUUID();
    const answers = await Promise.all(processes.flatMap(({ spend }) => Array.from({ length: 10 }, () => spend(key))));
    expect(trues(answers)).toBe(10);
  });

  test("three processes with one Redis count failures together, and read each other's", async () => {
    const processes = [await connected(join()), await connected(join()), await connected(join())];
    const guesses = failureLimit("guesses", { quota: 10, window: 600 });
    const answers = await Promise.all(processes.flatMap((one) => Array.from({ length: 10 }, () => fail(one, guesses, "k"))));
    expect(trues(answers)).toBe(10);
    for (const { buckets } of processes) expect(await buckets.peek(guesses, "k")).toMatchObject({ remaining: 0, nextIn: 600 });
    const [one, two] = processes as [Joined, Joined];
    expect((await one.buckets.peek(guesses, "another")).remaining).toBe(10);
    await one.buckets.take(guesses, "k", -1);
    expect([await fail(two, guesses, "k"), await fail(one, guesses, "k")]).toEqual([true, false]);
    await one.buckets.take(guesses, "other", -1);
    expect((await two.buckets.peek(guesses, "other")).remaining).toBe(10);
  });

  test("Redis gives all failures of a window back at its end, and none before", async () => {
    const one = await connected(join());
    const guesses = failureLimit("guesses", { quota: 2, window: 1 });
    expect([await fail(one, guesses, "k"), await fail(one, guesses, "k"), await fail(one, guesses, "k")]).toEqual([true, true, false]);
    await until(async () => fail(one, guesses, "k"));
    expect((await one.buckets.peek(guesses, "k")).remaining).toBe(1);
  });

  test("failure counters with different names count separately", async () => {
    const one = await connected(join());
    const [first, second] = ["one", "two"].map((name) => failureLimit(name, { quota: 1, window: 600 })) as [Policy, Policy];
    expect([await fail(one, first, "k"), await fail(one, second, "k")]).toEqual([true, true]);
    expect(await fail(one, first, "k")).toBe(false);
  });

  test("without Redis each process counts on its own, without delay", async () => {
    const one = await connected(join());
    const guesses = failureLimit("guesses", { quota: 3, window: 600 });
    await redis.stop();
    const took = await runningMs(async () => {
      const answers = [];
      for (let i = 0; i < 5; i += 1) answers.push(await fail(one, guesses, "k"));
      expect(answers).toEqual([true, true, true, false, false]);
      expect((await one.buckets.peek(guesses, "k")).remaining).toBe(0);
      expect(trues(await Promise.all(Array.from({ length: 12 }, () => one.spend("k"))))).toBe(10);
    });
    expect(alone).toBeGreaterThanOrEqual(12);
    expect(took).toBeLessThan(3_000);
  });

  test("a Redis that is connected and refuses to count is named once in the log, and once when it counts again", async () => {
    const lines: string[] = [];
    const joined = await connected(join({}, pino({}, { write: (line) => lines.push(line) })));
    const setMemory = (bytes: string) => spawnSync("redis-cli", ["-u", redis.url, "config", "set", "maxmemory", bytes]);
    setMemory("1");
    for (const key of ["a", "b"]) await joined.spend(key);
    setMemory("0");
    for (const key of ["c", "d"]) await joined.spend(key);
    const said = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.startsWith("Redis as the counter of rate limits"));
    expect(said).toMatchObject([{ level: 40, error: { message: expect.stringContaining("OOM") } }, { level: 30 }]);
  });

  test("a failure counter has the numbers of the contract's limit, or the operator's", async () => {
    const [one, two] = [join(), join({ failed: { quota: 2, window: 600, burst: 2 } })];
    expect(one.ofContract("failed")).toEqual({ name: "failed", quota: 1, window: 600, burst: 1, refillsAtOnce: true });
    expect(two.ofContract("failed")).toMatchObject({ quota: 2, burst: 2 });
  });
});

// What happens without a Redis.

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
