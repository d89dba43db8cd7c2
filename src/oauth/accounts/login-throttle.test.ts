import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type LoginThrottle, loginThrottle, unlimitedLogins } from "./check-password.ts";

/** Seconds to wait for an attempt of an unknown browser. */
const waitOf = async (throttle: LoginThrottle, handle: string, address: string) =>
  (await throttle.attempt({ handle, address, browser: null, browserName: null })).wait;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a network can fail 20 logins in 15 minutes, whatever handles it tries", async () => {
  const throttle = loginThrottle();
  for (let i = 0; i < 20; i += 1) expect(await waitOf(throttle, `handle${i}`, "192.0.2.1")).toBe(0);
  expect(await waitOf(throttle, "another", "192.0.2.1")).toBe(900);
  expect(await waitOf(throttle, "another", "192.0.2.2")).toBe(0);
  vi.advanceTimersByTime(899_500);
  expect(await waitOf(throttle, "another", "192.0.2.1")).toBe(1);
  vi.advanceTimersByTime(500);
  expect(await waitOf(throttle, "another", "192.0.2.1")).toBe(0);
});

test("a handle can fail 40 logins from all networks together, and one network alone cannot use them up", async () => {
  const throttle = loginThrottle();
  for (let i = 0; i < 1000; i += 1) await waitOf(throttle, "somchai", "192.0.2.1");
  for (let i = 0; i < 20; i += 1) expect(await waitOf(throttle, "somchai", `198.51.100.${i}`)).toBe(0);
  expect(await waitOf(throttle, "somchai", "203.0.113.1")).toBe(900);
  expect(await waitOf(throttle, "malee", "203.0.113.1")).toBe(0);
});

test("failed logins that run at the same time are all counted", async () => {
  const throttle = loginThrottle();
  const waits = await Promise.all(Array.from({ length: 100 }, () => waitOf(throttle, "somchai", "192.0.2.1")));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(20);
});

test("attempts that were refused do not count: right logins of a network at the same time lock nobody out", async () => {
  const throttle = loginThrottle();
  const attempt = { handle: "somchai", address: "192.0.2.1", browser: null, browserName: null };
  const admissions = await Promise.all(Array.from({ length: 60 }, () => throttle.attempt(attempt)));
  for (const { forgive } of admissions) await forgive();
  for (let i = 0; i < 20; i += 1) expect(await waitOf(throttle, "somchai", "192.0.2.1")).toBe(0);
});

test("attempts for a handle that is locked do not lock the network", async () => {
  const throttle = loginThrottle();
  for (let i = 0; i < 40; i += 1) await waitOf(throttle, "somchai", `198.51.100.${i}`);
  for (let i = 0; i < 30; i += 1) expect(await waitOf(throttle, "somchai", "192.0.2.1")).toBe(900);
  expect(await waitOf(throttle, "malee", "192.0.2.1")).toBe(0);
});

test("a successful login does not count as a failure", async () => {
  const throttle = loginThrottle();
  for (let i = 0; i < 100; i += 1) {
    const { wait, forgive } = await throttle.attempt({ handle: "somchai", address: "192.0.2.1", browser: "known", browserName: null });
    expect(wait).toBe(0);
    await forgive();
  }
});

test("a known browser can fail ten logins in six hours apart from all others, and fails as any other then", async () => {
  const throttle = loginThrottle();
  const attempt = { handle: "somchai", address: "192.0.2.1", browser: "known", browserName: null };
  for (let i = 0; i < 21; i += 1) await waitOf(throttle, "somchai", "192.0.2.1");
  const tries = async () => {
    for (let i = 0; i < 10; i += 1) expect((await throttle.attempt(attempt)).wait).toBe(0);
  };
  await tries();
  expect((await throttle.attempt(attempt)).wait).toBe(900);
  vi.advanceTimersByTime(900_000);
  expect((await throttle.attempt(attempt)).wait).toBe(0);
  expect(await waitOf(throttle, "somchai", "192.0.2.1")).toBe(0);
  vi.advanceTimersByTime(6 * 3_600_000);
  await tries();
});

test("logins never wait when rate limits are off", async () => {
  for (let i = 0; i < 100; i += 1) expect(await waitOf(unlimitedLogins, "somchai", "192.0.2.1")).toBe(0);
});
