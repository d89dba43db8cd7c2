import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { memoryBuckets, type Policy, take } from "./token-bucket.ts";

const create: Policy = { name: "create", quota: 600, window: 60, burst: 60 };

test("a full token bucket allows its burst at once, then one request for each added token", () => {
  let fullAt: number | undefined;
  const at = (now: number) => {
    const taken = take(create, { fullAt, now });
    fullAt = taken.fullAt;
    return taken;
  };
  expect(at(0)).toMatchObject({ allowed: true, remaining: 59, nextIn: 1 });
  for (let left = 58; left >= 0; left -= 1) expect(at(0)).toMatchObject({ allowed: true, remaining: left });
  expect(at(0)).toMatchObject({ allowed: false, remaining: 0, nextIn: 1 });
  expect(at(99)).toMatchObject({ allowed: false });
  expect(at(100)).toMatchObject({ allowed: true, remaining: 0 });
  expect(at(100)).toMatchObject({ allowed: false });
  expect(at(6_100 + 60_000)).toMatchObject({ allowed: true, remaining: 59 });
});

test("a refused request takes no tokens, and is allowed after the wait that it was told, for any number of tokens", () =>
  fc.assert(
    fc.property(
      fc.record({
        quota: fc.integer({ min: 1, max: 5_000 }),
        window: fc.integer({ min: 1, max: 600 }),
        burst: fc.integer({ min: 1, max: 500 }),
      }),
      fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 100 }),
      fc.integer({ min: 1, max: 600 }),
      (numbers, pauses, tokens) => {
        const policy = { name: "any", ...numbers };
        let now = 0;
        let fullAt: number | undefined;
        for (const pause of pauses) {
          now += pause;
          const taken = take(policy, { fullAt, now, tokens });
          fullAt = taken.fullAt;
          expect(taken.remaining).toBeGreaterThanOrEqual(0);
          expect(taken.remaining).toBeLessThan(policy.burst + 1);
          expect(taken.nextIn).toBeGreaterThanOrEqual(1);
          if (!taken.allowed) expect(take(policy, { fullAt, now: now + taken.wait * 1000, tokens }).allowed).toBe(true);
        }
      },
    ),
  ));

test("a token bucket never allows more than its burst and the added tokens", () =>
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 50, maxLength: 400 }), (pauses) => {
      let now = 0;
      let fullAt: number | undefined;
      let allowed = 0;
      for (const pause of pauses) {
        now += pause;
        const taken = take(create, { fullAt, now });
        fullAt = taken.fullAt;
        if (taken.allowed) allowed += 1;
      }
      expect(allowed).toBeLessThanOrEqual(create.burst + (now / 1000) * 10);
    }),
  ));

describe("in memory", () => {
  test("each key of each policy has its own bucket in memory, and full buckets are removed", async () => {
    let now = 0;
    const buckets = memoryBuckets(() => now);
    const one: Policy = { name: "one", quota: 1, window: 1, burst: 1 };
    expect(
      [await buckets.take(one, "a"), await buckets.take(one, "a"), await buckets.take(one, "b")].map(({ allowed }) => allowed),
    ).toEqual([true, false, true]);
    expect((await buckets.take({ ...one, name: "two" }, "a")).allowed).toBe(true);
    expect((await buckets.peek(one, "a")).remaining).toBe(0);
    now = 20_000;
    expect((await buckets.peek(one, "a")).remaining).toBe(1);
    expect((await buckets.take(one, "a")).allowed).toBe(true);
  });
});
