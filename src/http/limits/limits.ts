// Rate limits of the contract: what a request costs, what the headers say of it, and who has to wait.
// Headers by draft-ietf-httpapi-ratelimit-headers-10: `q` tokens in `w` seconds; `r` are left, one more comes in `t` seconds.

import { network } from "../network.ts";
import { Problem } from "../problem.ts";
import type { Policy, Taken } from "./bucket.ts";
import type { Buckets } from "./memory.ts";

export type LimitHeaders = Readonly<Record<string, string>>;

export type Limits = {
  /** Takes a token from the policy's bucket for `key`; the headers that the answer carries. Throws rate_limited. */
  spend: (policy: string, key: string) => LimitHeaders | Promise<LimitHeaders>;
  /** Throws rate_limited when too many requests from this address had no good credential. */
  admit: (address: string) => void | Promise<void>;
  /** Counts a request without a good credential. */
  failed: (address: string) => void | Promise<void>;
};

/** Told of each refusal, for the metrics. */
export type OnLimited = (policy: string) => void;

/** Throws when a policy is unknown: the contract names it. */
export function makeLimits(policies: readonly Policy[], buckets: Buckets, onLimited: OnLimited = () => {}): Limits {
  const byName = new Map(policies.map((policy) => [policy.name, { policy, header: policyHeader(policy) }]));
  const named = (name: string) => {
    const found = byName.get(name);
    if (!found) throw new Error(`there is no rate limit "${name}"`);
    return found;
  };
  const { policy: failures } = named("failed");

  const settle = (name: string, taken: Taken): LimitHeaders => {
    const { policy, header } = named(name);
    const headers = { "RateLimit-Policy": header, RateLimit: limitHeader(policy, taken) };
    if (taken.allowed) return headers;
    onLimited(name);
    throw tooMany(`Too many requests: ${inWords(policy)}.`, taken, headers);
  };

  const refuseAddress = (left: Omit<Taken, "allowed">): void => {
    if (left.remaining > 0) return;
    onLimited(failures.name);
    throw tooMany("Too many requests from this address had no good credential.", left, {});
  };

  return {
    spend: (name, key) => {
      const taken = buckets.take(named(name).policy, key);
      return taken instanceof Promise ? taken.then((one) => settle(name, one)) : settle(name, taken);
    },
    admit: (address) => {
      const left = buckets.look(failures, network(address));
      return left instanceof Promise ? left.then(refuseAddress) : refuseAddress(left);
    },
    failed: (address) => {
      const taken = buckets.take(failures, network(address));
      return taken instanceof Promise ? taken.then(() => {}) : undefined;
    },
  };
}

/** For RATE_LIMITS=off. */
export const noLimits: Limits = { spend: () => ({}), admit: () => {}, failed: () => {} };

function policyHeader({ name, quota, window }: Policy): string {
  return `"${name}";q=${quota};w=${window}`;
}

function limitHeader({ name }: Policy, { remaining, nextIn }: Taken): string {
  return `"${name}";r=${remaining};t=${nextIn}`;
}

function inWords({ name, quota, window, burst }: Policy): string {
  return `"${name}" allows ${quota} in ${window} seconds, ${burst} of them at once`;
}

function tooMany(detail: string, { nextIn }: Omit<Taken, "allowed">, headers: LimitHeaders): Problem {
  return new Problem("rate_limited", detail, { headers: { ...headers, "Retry-After": String(nextIn) } });
}
