// Token buckets outside of this process. While they are unavailable, this process counts on its own.

import type { Buckets } from "./memory-buckets.ts";
import type { Policy, State, Taken } from "./token-bucket.ts";

/** Its methods reject when the buckets are unavailable. */
export type SharedBuckets = {
  take: (policy: Policy, key: string, tokens?: number) => Promise<Taken>;
  peek: (policy: Policy, key: string) => Promise<State>;
};

/** Uses `fallback` while `shared` rejects. `onFallback` is called for each request that is counted there. */
export function withFallback(shared: SharedBuckets, fallback: Buckets, onFallback: () => void): Buckets {
  const here = <Answer>(answer: () => Answer) => {
    onFallback();
    return answer();
  };
  return {
    take: (policy, key, tokens) => shared.take(policy, key, tokens).catch(() => here(() => fallback.take(policy, key, tokens))),
    peek: (policy, key) => shared.peek(policy, key).catch(() => here(() => fallback.peek(policy, key))),
  };
}
