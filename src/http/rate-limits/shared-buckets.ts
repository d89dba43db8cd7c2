// Buckets that are kept outside of this process. While they can't be asked, this process counts for itself.

import type { Buckets } from "./memory-buckets.ts";
import type { Policy, State, Taken } from "./token-bucket.ts";

/** Rejects when they can't be asked. */
export type SharedBuckets = {
  take: (policy: Policy, key: string, tokens?: number) => Promise<Taken>;
  look: (policy: Policy, key: string) => Promise<State>;
};

/** `onFallback` is told of each request that was counted here. */
export function orElse(shared: SharedBuckets, fallback: Buckets, onFallback: () => void): Buckets {
  const here = <Answer>(answer: () => Answer) => {
    onFallback();
    return answer();
  };
  return {
    take: (policy, key, tokens) => shared.take(policy, key, tokens).catch(() => here(() => fallback.take(policy, key, tokens))),
    look: (policy, key) => shared.look(policy, key).catch(() => here(() => fallback.look(policy, key))),
  };
}
