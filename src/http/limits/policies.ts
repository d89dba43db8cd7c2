// Which limits there are: those of the contract, with the operator's numbers where there are any.

import type { Policy } from "./bucket.ts";

/** Numbers that the operator has set, by policy. */
export type LimitOverrides = Readonly<Record<string, Omit<Policy, "name">>>;

/** `x-rate-limits` of the contract. */
export type PublishedLimits = Readonly<Record<string, Omit<Policy, "name">>>;

/** Throws an Error that names a policy which the contract does not have. */
export function policiesOf(published: PublishedLimits, overrides: LimitOverrides): Policy[] {
  for (const name of Object.keys(overrides))
    if (!published[name]) throw new Error(`RATE_LIMITS names "${name}"; there are ${Object.keys(published).join(", ")}`);
  return Object.entries({ ...published, ...overrides }).map(([name, { quota, window, burst }]) => ({ name, quota, window, burst }));
}
