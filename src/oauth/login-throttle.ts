// How often passwords may be guessed.

import { type RateLimiterAbstract, RateLimiterRes } from "rate-limiter-flexible";
import { network } from "../http/network.ts";
import { type FailureCounters, memoryCounters } from "../http/rate-limits/failure-counters.ts";

export type LoginThrottle = Readonly<{
  /**
   * Counts a failure before the password is looked at, so that guesses made at once count, too. Returns the seconds to
   * wait; 0: go on.
   */
  attempt: (handle: string, address: string) => Promise<number>;
  /** It was none. */
  forgive: (handle: string, address: string) => Promise<void>;
}>;

// An address runs out before a handle does: nobody locks a streamer out from one place.
const perAddress = { points: 20, duration: 15 * 60 };
const perHandle = { points: 40, duration: 15 * 60 };

/** Counts wherever the counters do. */
export function loginThrottle(counters: FailureCounters = memoryCounters): LoginThrottle {
  const addresses = counters("login-address", perAddress);
  const handles = counters("login-handle", perHandle);
  return {
    attempt: async (handle, address) => (await take(addresses, network(address))) || (await take(handles, handleKey(handle))),
    forgive: async (handle, address) => {
      await addresses.reward(network(address));
      await handles.reward(handleKey(handle));
    },
  };
}

/** For RATE_LIMITS=off. */
export const noThrottle: LoginThrottle = { attempt: async () => 0, forgive: async () => {} };

async function take(limiter: RateLimiterAbstract, key: string): Promise<number> {
  try {
    await limiter.consume(key);
    return 0;
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
  }
}

/** No handle is longer; what a stranger makes up must not fill the memory. */
function handleKey(handle: string): string {
  return handle.slice(0, 40);
}
