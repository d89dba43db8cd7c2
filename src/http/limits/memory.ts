// Buckets in this process.

import { type Policy, state, type Taken, take } from "./bucket.ts";

export type Buckets = {
  take: (policy: Policy, key: string) => Taken | Promise<Taken>;
  /** What is left, without taking any. */
  look: (policy: Policy, key: string) => Omit<Taken, "allowed"> | Promise<Omit<Taken, "allowed">>;
};

const sweepMs = 10_000;

/** `now` in milliseconds, never going back. */
export function memoryBuckets(now: () => number = () => performance.now()): Buckets {
  const fullAt = new Map<string, number>();
  let sweptAt = now();

  /** A full bucket is as good as none. */
  const sweep = (at: number) => {
    if (at - sweptAt < sweepMs) return;
    sweptAt = at;
    for (const [name, full] of fullAt) if (full <= at) fullAt.delete(name);
  };

  return {
    take: (policy, key) => {
      const at = now();
      sweep(at);
      const name = `${policy.name} ${key}`;
      const taken = take(policy, fullAt.get(name), at);
      fullAt.set(name, taken.fullAt);
      return taken;
    },
    look: (policy, key) => {
      const at = now();
      return state(policy, fullAt.get(`${policy.name} ${key}`) ?? at, at);
    },
  };
}
