import { expect, test } from "vitest";
import { makeReadiness, openReadiness } from "./readiness.ts";
import { query, temporaryServer } from "./testing.ts";

const options = { timeoutMs: 20 };

test("a thousand calls at once, or within a second, cause one check of the database", async () => {
  let [checks, time] = [0, 0];
  const ready = makeReadiness(async () => (checks += 1), { now: () => time });
  expect(new Set(await Promise.all(Array.from({ length: 1_000 }, ready)))).toEqual(new Set([null]));
  time = 999;
  await ready();
  expect(checks).toBe(1);
  time = 1_000;
  await ready();
  expect(checks).toBe(2);
});

test("a database that refuses, or does not answer in time, is unavailable, and ready again when it answers", async () => {
  let time = 0;
  let check: () => Promise<unknown> = () => Promise.reject(new Error("refused"));
  const ready = makeReadiness(() => check(), { ...options, now: () => time });
  expect(await ready()).toBe("database unavailable");
  time += 1_000;
  check = () => new Promise(() => {});
  expect(await ready()).toBe("database unavailable");
  time += 1_000;
  check = async () => {};
  expect(await ready()).toBeNull();
});

test("a database that is read-only for a while is unavailable meanwhile, and writes again afterwards on every connection", async () => {
  const server = await temporaryServer();
  const database = await server.freshDatabase("template template0");
  const { pathname } = new URL(database.url);
  const setReadOnly = (value: string) =>
    query(server.url, `alter database ${pathname.slice(1)} set default_transaction_read_only = ${value}`);
  try {
    await setReadOnly("on");
    const { check } = openReadiness(database);
    const pool = database.pool({ max: 1 });
    expect(await check()).toBe("database unavailable");
    await expect(pool.raw("create table written ()")).rejects.toThrow("read-only");
    await setReadOnly("off");
    await pool.raw("create table written ()");
    await expect.poll(check, { timeout: 10_000 }).toBeNull();
  } finally {
    await database.close();
    await server.remove();
  }
});
