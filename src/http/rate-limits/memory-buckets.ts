// Token buckets in the memory of this process.

import { type Policy, type State, state, type Taken, take } from "./token-bucket.ts";

export type Buckets = {
  /** Takes tokens, one by default. */
  take: (policy: Policy, key: string, tokens?: number) => Taken | Promise<Taken>;
  /** Reads the state of the bucket without taking tokens. */
  peek: (policy: Policy, key: string) => State | Promise<State>;
};

/** Buckets that answer at once. */
export type MemoryBuckets = { take: (policy: Policy, key: string, tokens?: number) => Taken; peek: (policy: Policy, key: string) => State };

const sweepMs = 10_000;

/** `now`: a clock in milliseconds that never goes back. */
export function memoryBuckets(now: () => number = () => performance.now()): MemoryBuckets {
  const fullAt = new Map<string, number>();
  let sweptAt = now();

  /** Removes full buckets, which are the same as absent ones. */
  const sweep = (at: number) => {
    if (at - sweptAt < sweepMs) return;
    sweptAt = at;
    for (const [name, full] of fullAt) if (full <= at) fullAt.delete(name);
  };

  return {
    take: (policy, key, tokens) => {
      const at = now();
      sweep(at);
      const name = `${policy.name} ${key}`;
      const taken = take(policy, { fullAt: fullAt.get(name), now: at, tokens });
      fullAt.set(name, taken.fullAt);
      return taken;
    },
    peek: (policy, key) => {
      const at = now();
      return state(policy, fullAt.get(`${policy.name} ${key}`) ?? at, at);
    },
  };
}
