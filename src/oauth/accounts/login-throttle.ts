// Limits how often passwords can be guessed: per network, per handle, and for each browser in which the streamer logged in before.

import { type RateLimiterAbstract, RateLimiterRes } from "rate-limiter-flexible";
import { network } from "../../http/network.ts";
import { type FailureCounters, memoryCounters } from "../../http/rate-limits/failure-counters.ts";

export type LoginAttempt = Readonly<{
  handle: string;
  address: string;
  /** Id of a browser in which the streamer logged in before, or of a live session; null for any other browser. */
  browser: string | null;
  /** Name of the browser, such as `Chrome, Windows`; null for unknown. */
  browserName: string | null;
}>;

/** `wait`: seconds to wait, without a failure: nothing was guessed; 0 when the password may be checked. */
export type Admission = Readonly<{
  wait: number;
  /** Takes the counted failure back, after the right password or when none was checked. */
  forgive: () => Promise<void>;
}>;

export type LoginThrottle = Readonly<{
  /** Counts a failure before the password is checked, so that guesses that run at the same time are counted too. */
  attempt: (attempt: LoginAttempt) => Promise<Admission>;
}>;

/** The id of the unlock of a handle by the operator that is in force; null: none is. */
export type FindUnlock = (handle: string) => Promise<string | null>;

/** How long the failures of networks and handles count, and so does an unlock. In seconds. */
export const lockSeconds = 15 * 60;
// A network reaches its limit before a handle does, so that nobody can lock a streamer out from one place.
const perAddress = { points: 20, duration: lockSeconds };
const perHandle = { points: 40, duration: lockSeconds };
/** Few, because a cookie can be stolen. A browser beyond counts as any other. */
const perBrowser = { points: 10, duration: 6 * 60 * 60 };
const perUnlock = { points: 20, duration: lockSeconds };

/** Counts in this process, or wherever `counters` count. */
export function loginThrottle(counters: FailureCounters = memoryCounters, findUnlock: FindUnlock = async () => null): LoginThrottle {
  const addresses = counters("login-address", perAddress);
  const handles = counters("login-handle", perHandle);
  const browsers = counters("login-browser", perBrowser);
  const unlocks = counters("login-unlock", perUnlock);
  const admitKnown = async (browser: string | null) => (browser === null ? null : admit([browsers, browser]));
  const admitUnlocked = async (handle: string) => {
    const unlock = await findUnlock(handle);
    return unlock === null ? null : admit([unlocks, unlock]);
  };
  return {
    attempt: async ({ handle, address, browser }) => {
      const known = await admitKnown(browser);
      if (known?.wait === 0) return known;
      const unknown = await admit([addresses, network(address)], [handles, handleKey(handle)]);
      if (unknown.wait === 0) return unknown;
      const unlocked = await admitUnlocked(handle);
      return unlocked?.wait === 0 ? unlocked : unknown;
    },
  };
}

/** For RATE_LIMITS=off. */
export const noThrottle: LoginThrottle = { attempt: async () => ({ wait: 0, forgive: async () => {} }) };

/** Counts a failure by each of these keys, or by none when one has reached its limit. */
async function admit(...keys: readonly [counter: RateLimiterAbstract, key: string][]): Promise<Admission> {
  const counted: [counter: RateLimiterAbstract, key: string][] = [];
  const forgive = async () => {
    for (const [counter, key] of counted) await counter.reward(key);
  };
  for (const [counter, key] of keys) {
    const wait = await countFailure(counter, key);
    if (wait > 0) {
      await forgive();
      return { wait, forgive: async () => {} };
    }
    counted.push([counter, key]);
  }
  return { wait: 0, forgive };
}

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
