// Limits how often passwords can be guessed, per network and per handle.

import { type RateLimiterAbstract, RateLimiterRes } from "rate-limiter-flexible";
import { network } from "../../http/network.ts";
import { type FailureCounters, memoryCounters } from "../../http/rate-limits/failure-counters.ts";

export type LoginThrottle = Readonly<{
  /**
   * Counts a failure before the password is checked, so that guesses that run at the same time are counted too. Resolves to the
   * seconds to wait, without a failure: nothing was guessed; 0 when the password may be checked.
   */
  attempt: (handle: string, address: string) => Promise<number>;
  /** Takes the counted failure back, after the right password or when none was checked. */
  forgive: (handle: string, address: string) => Promise<void>;
}>;

// A network reaches its limit before a handle does, so that nobody can lock a streamer out from one place.
const perAddress = { points: 20, duration: 15 * 60 };
const perHandle = { points: 40, duration: 15 * 60 };

/** Counts in this process, or wherever `counters` count. */
export function loginThrottle(counters: FailureCounters = memoryCounters): LoginThrottle {
  const addresses = counters("login-address", perAddress);
  const handles = counters("login-handle", perHandle);
  return {
    attempt: async (handle, address) => {
      const wait = await countFailure(addresses, network(address));
      if (wait > 0) return wait;
      const waitForHandle = await countFailure(handles, handleKey(handle));
      if (waitForHandle > 0) await addresses.reward(network(address));
      return waitForHandle;
    },
    forgive: async (handle, address) => {
      await addresses.reward(network(address));
      await handles.reward(handleKey(handle));
    },
  };
}

/** For RATE_LIMITS=off. */
export const noThrottle: LoginThrottle = { attempt: async () => 0, forgive: async () => {} };

async function countFailure(limiter: RateLimiterAbstract, key: string): Promise<number> {
  try {
    await limiter.consume(key);
    return 0;
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes)) throw refusal;
    await limiter.reward(key); // the limiter counts what it refuses: right logins that wait for each other would lock out their network
    return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
  }
}

/** Cuts what was typed in to a character more than the longest possible handle, so that made-up handles cannot fill the memory. */
export function handleKey(handle: string): string {
  return handle.slice(0, 40);
}
