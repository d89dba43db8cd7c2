// The rate limits of the contract, with the numbers that the operator set.

import type { Policy } from "./token-bucket.ts";

/** Numbers that the operator set, by policy. */
export type LimitOverrides = Readonly<Record<string, Omit<Policy, "name">>>;

/** `x-rate-limits` of the contract. `perStreamer`: how many times as much all credentials of a streamer may take together. */
export type PublishedLimits = Readonly<Record<string, Omit<Policy, "name"> & { perStreamer?: number }>>;

/** Throws an Error that names a policy which the contract does not have. */
export function policiesOf(published: PublishedLimits, overrides: LimitOverrides): Policy[] {
  for (const name of Object.keys(overrides))
    if (!published[name]) throw new Error(`RATE_LIMITS names "${name}"; there are ${Object.keys(published).join(", ")}`);
  return Object.entries(published).map(([name, { perStreamer, ...limit }]) => {
    const { quota, window, burst } = overrides[name] ?? limit;
    const policy = { name, quota, window, burst };
    return perStreamer === undefined ? policy : { ...policy, ofStreamer: multiplied(policy, perStreamer) };
  });
}

function multiplied({ name, quota, window, burst }: Policy, times: number): Policy {
  return { name: `${name}-streamer`, quota: quota * times, window, burst: burst * times };
}
