// How often passwords may be guessed.

import { isIPv6 } from "node:net";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

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

/** Counts in this process. */
export function loginThrottle(): LoginThrottle {
  const addresses = new RateLimiterMemory({ keyPrefix: "", ...perAddress });
  const handles = new RateLimiterMemory({ keyPrefix: "", ...perHandle });
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

async function take(limiter: RateLimiterMemory, key: string): Promise<number> {
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

/** One customer has a whole /64 of IPv6 addresses. */
export function network(address: string): string {
  const ipv4 = address.replace(/^::ffff:(?=\d+\.)/i, "");
  if (!isIPv6(ipv4)) return ipv4;
  const [head = "", tail = ""] = ipv4.replace(/%.*$/, "").split("::");
  const [left, right] = [head, tail].map((half) => (half === "" ? [] : half.split(":"))) as [string[], string[]];
  const zeros = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  const groups = [...left, ...zeros, ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
