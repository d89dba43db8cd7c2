import type { Knex } from "knex";
import { afterEach, expect, test } from "vitest";
import { runningMs, settledWithin } from "../base/testing-time.ts";
import { isCommitUnknown, isUnavailable } from "./failures.ts";
import { createPool, type PoolOptions } from "./pool.ts";
import { pools } from "./pools.ts";
import { silent, useDatabase } from "./testing.ts";
import { type SilentRelay, silentRelay } from "./testing-silent-relay.ts";

let relay: SilentRelay;
const open: Knex[] = [];

useDatabase(async ({ url }) => {
  relay = await silentRelay(url);
  return async () => relay.close();
});
afterEach(async () => {
  relay.speak();
  await Promise.all(open.splice(0).map((pool) => pool.destroy()));
});

function openPool(options: PoolOptions): Knex {
  const pool = createPool(relay.url, options, silent);
  open.push(pool);
  return pool;
}

const pidOf = async (asked: Knex | Knex.Transaction): Promise<number> => (await asked.raw("select pg_backend_pid() as pid")).rows[0].pid;

/** Resolves to what the promise fails with, and rejects when it does not fail within `ms`. */
async function failureWithin(ms: number, promise: Promise<unknown>): Promise<unknown> {
  const failure = promise.then(
    (value) => Promise.reject(new Error(`it succeeded: ${JSON.stringify(value)}`)),
    (error: unknown) => error,
  );
  return settledWithin(ms, failure);
}

test("a statement of any pool fails as unavailable at most 5 s after its time-out when the server answers nothing and closes nothing, and its connection is not used again", async () => {
  const opened = Object.entries(pools as Record<string, PoolOptions>).map(([name, options]) => {
    return { name, pool: openPool({ ...options, statementTimeoutMs: 1_000 }) };
  });
  const before = await Promise.all(opened.map(({ pool }) => pidOf(pool)));
  relay.fallSilent();
  const failures = await Promise.all(opened.map(({ pool }) => failureWithin(6_500, pidOf(pool))));
  expect(opened.map(({ name }, index) => [name, isUnavailable(failures[index])])).toEqual(opened.map(({ name }) => [name, true]));
  relay.speak();
  const after = await Promise.all(opened.map(({ pool }) => pidOf(pool)));
  expect(after.filter((pid) => before.includes(pid))).toEqual([]);
}, 30_000);

test("a transaction whose server falls silent fails as unavailable, and the pool's next one succeeds when it answers again", async () => {
  const pool = openPool({ max: 1, answerTimeoutMs: 300 });
  const broken = pool.transaction(async (transaction) => {
    await pidOf(transaction);
    relay.fallSilent();
    await pidOf(transaction);
  });
  expect(await failureWithin(2_000, broken)).toSatisfy(isUnavailable);
  relay.speak();
  expect(await pool.transaction(pidOf)).toBeGreaterThan(0);
});

test("the outcome of a commit without an answer is unknown; that of a statement before it, and of a read, is not", async () => {
  const pool = openPool({ max: 1, answerTimeoutMs: 300 });
  const atCommit = pool.transaction(async (transaction) => {
    await pidOf(transaction);
    relay.fallSilent();
  });
  expect(await failureWithin(2_000, atCommit)).toSatisfy((error) => isUnavailable(error) && isCommitUnknown(error));
  relay.speak();
  const before = pool.transaction(async (transaction) => {
    relay.fallSilent();
    await pidOf(transaction);
  });
  expect(await failureWithin(2_000, before)).toSatisfy((error) => isUnavailable(error) && !isCommitUnknown(error));
  relay.speak();
  await pidOf(pool);
  relay.fallSilent();
  expect(await failureWithin(2_000, pidOf(pool))).not.toSatisfy(isCommitUnknown);
});

test("a server that is silent from the first connection on is unavailable within the connect time-out, and used when it answers", async () => {
  relay.fallSilent();
  const pool = openPool({ max: 1, connectTimeoutMs: 500 });
  expect(await failureWithin(3_000, pidOf(pool))).toSatisfy(isUnavailable);
  relay.speak();
  await expect.poll(() => pidOf(pool).catch(() => 0), { timeout: 10_000 }).toBeGreaterThan(0);
});

test("a pool of a silent server is closed within 7 s: statements under way fail, idle connections are given up", async () => {
  const pool = createPool(relay.url, { max: 2, answerTimeoutMs: 1_000 }, silent);
  await Promise.all([pidOf(pool), pool.raw("select pg_sleep(0.1)")]);
  relay.fallSilent();
  const underWay = failureWithin(3_000, pidOf(pool));
  expect(await runningMs(() => pool.destroy())).toBeLessThan(7_000);
  expect(await underWay).toSatisfy(isUnavailable);
}, 20_000);
