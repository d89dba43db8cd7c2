import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loginThrottle, noThrottle } from "./login-throttle.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("an address has 20 failures in 15 minutes, whatever handles it tries", async () => {
  const throttle = loginThrottle();
  for (let i = 0; i < 20; i += 1) expect(await throttle.attempt(`handle${i}`, "192.0.2.1")).toBe(0);
  expect(await throttle.attempt("another", "192.0.2.1")).toBe(900);
  expect(await throttle.attempt("another", "192.0.2.2")).toBe(0);
  vi.advanceTimersByTime(899_500);
  expect(await throttle.attempt("another", "192.0.2.1")).toBe(1);
  vi.advanceTimersByTime(500);
  expect(await throttle.attempt("another", "192.0.2.1")).toBe(0);
});

test("a handle has 40 from all addresses together; one address alone can't use them up", async () => {
  const throttle = loginThrottle();
  for (let i = 0; i < 1000; i += 1) await throttle.attempt("somchai", "192.0.2.1");
  for (let i = 0; i < 20; i += 1) expect(await throttle.attempt("somchai", `198.51.100.${i}`)).toBe(0);
  expect(await throttle.attempt("somchai", "203.0.113.1")).toBe(900);
  expect(await throttle.attempt("malee", "203.0.113.1")).toBe(0);
});

test("guesses that run at once are counted", async () => {
  const throttle = loginThrottle();
  const waits = await Promise.all(Array.from({ length: 100 }, () => throttle.attempt("somchai", "192.0.2.1")));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(20);
});

test("a login that worked is no failure", async () => {
  const throttle = loginThrottle();
  for (let i = 0; i < 100; i += 1) {
    expect(await throttle.attempt("somchai", "192.0.2.1")).toBe(0);
    await throttle.forgive("somchai", "192.0.2.1");
  }
});

test("without limits nobody waits", async () => {
  for (let i = 0; i < 100; i += 1) expect(await noThrottle.attempt("somchai", "192.0.2.1")).toBe(0);
});
