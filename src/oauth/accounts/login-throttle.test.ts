import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loginThrottle, noThrottle } from "./login-throttle.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a network can fail 20 logins in 15 minutes, whatever handles it tries", async () => {
  const throttle = loginThrottle();
  for (let i = 0; i < 20; i += 1) expect(await throttle.attempt(`handle${i}`, "192.0.2.1")).toBe(0);
  expect(await throttle.attempt("another", "192.0.2.1")).toBe(900);
  expect(await throttle.attempt("another", "192.0.2.2")).toBe(0);
  vi.advanceTimersByTime(899_500);
  expect(await throttle.attempt("another", "192.0.2.1")).toBe(1);
  vi.advanceTimersByTime(500);
  expect(await throttle.attempt("another", "192.0.2.1")).toBe(0);
});

test("a handle can fail 40 logins from all networks together, and one network alone cannot use them up", async () => {
  const throttle = loginThrottle();
  for (let i = 0; i < 1000; i += 1) await throttle.attempt("somchai", "192.0.2.1");
  for (let i = 0; i < 20; i += 1) expect(await throttle.attempt("somchai", `198.51.100.${i}`)).toBe(0);
  expect(await throttle.attempt("somchai", "203.0.113.1")).toBe(900);
  expect(await throttle.attempt("malee", "203.0.113.1")).toBe(0);
});

test("failed logins that run at the same time are all counted", async () => {
  const throttle = loginThrottle();
  const waits = await Promise.all(Array.from({ length: 100 }, () => throttle.attempt("somchai", "192.0.2.1")));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(20);
});

test("attempts that were refused do not count: right logins of a network at the same time lock nobody out", async () => {
  const throttle = loginThrottle();
  const waits = await Promise.all(Array.from({ length: 60 }, () => throttle.attempt("somchai", "192.0.2.1")));
  for (const _ of waits.filter((wait) => wait === 0)) await throttle.forgive("somchai", "192.0.2.1");
  for (let i = 0; i < 20; i += 1) expect(await throttle.attempt("somchai", "192.0.2.1")).toBe(0);
});

test("attempts for a handle that is locked do not lock the network", async () => {
  const throttle = loginThrottle();
  for (let i = 0; i < 40; i += 1) await throttle.attempt("somchai", `198.51.100.${i}`);
  for (let i = 0; i < 30; i += 1) expect(await throttle.attempt("somchai", "192.0.2.1")).toBe(900);
  expect(await throttle.attempt("malee", "192.0.2.1")).toBe(0);
});

test("a successful login does not count as a failure", async () => {
  const throttle = loginThrottle();
  for (let i = 0; i < 100; i += 1) {
    expect(await throttle.attempt("somchai", "192.0.2.1")).toBe(0);
    await throttle.forgive("somchai", "192.0.2.1");
  }
});

test("logins never wait when rate limits are off", async () => {
  for (let i = 0; i < 100; i += 1) expect(await noThrottle.attempt("somchai", "192.0.2.1")).toBe(0);
});
