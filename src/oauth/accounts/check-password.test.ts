import { expect, test, vi } from "vitest";
import { Problem } from "../../http/problem.ts";
import { checkPassword, loginThrottle } from "./check-password.ts";

/** Checks whose hashes the test ends, one after the other. `begun`: the handles whose passwords were being checked, in their order. */
function setUp(isRight: (handle: string) => boolean = () => true) {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const verifyPassword = async (handle: string) => {
    begun.push(handle);
    await new Promise<void>((resolve) => ends.push(resolve));
    return isRight(handle) ? { streamerId: handle, changedAt: "" } : null;
  };
  const deps = { passwords: { verifyPassword }, throttle: loginThrottle() };
  const check = (handle: string, address: string, browser: string | null = null) =>
    checkPassword(deps, { handle, address, browser, browserName: null, password: "" });
  const settled = () => new Promise(setImmediate);
  const end = async () => {
    await settled();
    ends.shift()?.();
    await settled();
  };
  return { begun, check, end, settled };
}

test("networks take turns: one with a hundred logins keeps another waiting for one turn", async () => {
  const { begun, check, end, settled } = setUp();
  const flood = Array.from({ length: 100 }, (_, index) => check(`flood${index}`, "192.0.2.1"));
  const other = check("other", "198.51.100.1");
  await settled();
  for (let turn = 0; turn < 2; turn += 1) await end();
  expect(begun).toEqual(["flood0", "flood1", "flood2", "other"]);
  for (let turn = 0; turn < 101; turn += 1) await end();
  expect((await Promise.all([...flood, other])).every(({ verified }) => verified !== null)).toBe(true);
});

test("150 right logins of a network at once all succeed, and of more the last are refused with Retry-After", async () => {
  const { check, end } = setUp();
  const all = Promise.allSettled(Array.from({ length: 200 }, (_, index) => check(`s${index}`, "192.0.2.1")));
  for (let turn = 0; turn < 160; turn += 1) await end();
  const outcomes = await all;
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(152);
  const refused = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason as Problem] : []));
  for (const { code, extras } of refused) expect([code, extras.headers?.["Retry-After"]]).toEqual(["unavailable", "10"]);
});

test("two networks that fill the queue keep a third out no longer than for its turn", async () => {
  const { begun, check, end, settled } = setUp();
  const flood = ["192.0.2.1", "192.0.2.2"].flatMap((address) => Array.from({ length: 150 }, () => check("flood", address)));
  const floods = Promise.allSettled(flood);
  await settled();
  const third = check("third", "198.51.100.1");
  for (let turn = 0; turn < 4; turn += 1) await end();
  expect(begun).toContain("third");
  for (let turn = 0; turn < 300; turn += 1) await end();
  expect((await third).verified).not.toBeNull();
  await floods;
});

test("a known browser is checked at once beside a flood from many networks", async () => {
  const { begun, check, end, settled } = setUp();
  const flood = Promise.allSettled(
    Array.from({ length: 500 }, (_, index) => check(`flood${index}`, `2001:db8:0:${index.toString(16)}::1`)),
  );
  await settled();
  const known = check("somchai", "2001:db8:0:1::1", "a browser");
  await settled();
  expect(begun).toContain("somchai");
  for (let turn = 0; turn < 260; turn += 1) await end();
  expect((await known).verified).not.toBeNull();
  await flood;
});

test("a login whose turn does not come within 30 seconds is refused, and counts as no failure", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const { check, end } = setUp();
  const running = [check("a", "192.0.2.1"), check("b", "192.0.2.1")];
  const waiting = Promise.allSettled([check("c", "192.0.2.1")]);
  await vi.advanceTimersByTimeAsync(30_000);
  vi.useRealTimers();
  expect(await waiting).toMatchObject([{ reason: expect.any(Problem) }]);
  for (let turn = 0; turn < 2; turn += 1) await end();
  await Promise.all(running);
});

test("wrong logins of a network at once are all counted: the twenty-first is told to wait and checks nothing", async () => {
  const { begun, check, end } = setUp(() => false);
  const all = Promise.all(Array.from({ length: 30 }, () => check("somchai", "192.0.2.1")));
  for (let turn = 0; turn < 30; turn += 1) await end();
  expect((await all).filter(({ wait }) => wait === 0)).toHaveLength(20);
  expect(begun).toHaveLength(20);
});
