// Buckets in this process.

import { type Policy, type State, state, type Taken, take } from "./token-bucket.ts";

export type Buckets = {
  /** Takes one token unless told otherwise. */
  take: (policy: Policy, key: string, tokens?: number) => Taken | Promise<Taken>;
  /** What is left, without taking any. */
  look: (policy: Policy, key: string) => State | Promise<State>;
};

/** Here an answer needs no waiting. */
export type MemoryBuckets = { take: (policy: Policy, key: string, tokens?: number) => Taken; look: (policy: Policy, key: string) => State };

const sweepMs = 10_000;

/** `now` in milliseconds, never going back. */
export function memoryBuckets(now: () => number = () => performance.now()): MemoryBuckets {
  const fullAt = new Map<string, number>();
  let sweptAt = now();

  /** A full bucket is as good as none. */
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
    look: (policy, key) => {
      const at = now();
      return state(policy, fullAt.get(`${policy.name} ${key}`) ?? at, at);
    },
  };
}
