import { expect, test } from "vitest";
import { makeReadiness } from "./readiness.ts";

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
