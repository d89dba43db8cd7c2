// Reads the server's rate limit from its answers.

import { secondsOf } from "../client/rate-limit-retries.ts";
import type { Reply } from "../contract/http-request.ts";

/** `requests` allowed per `seconds`. `announced`: the server named the limit, it was not guessed from a 429. */
export type RateLimit = { requests: number; seconds: number; announced: boolean };

const defaultWindowSeconds = 60;

/** Returns the strictest limit found in the answers; null when there is none. */
export function limitOf(replies: readonly Reply[]): RateLimit | null {
  const limits = replies.flatMap((reply) => [...policyLimits(reply), ...headerLimits(reply), ...limitsOf429(reply)]);
  const announcedLimits = limits.filter(({ announced: said }) => said);
  const [strictest = null] = (announcedLimits.length > 0 ? announcedLimits : limits).toSorted((a, b) => rateOf(a) - rateOf(b));
  return strictest;
}

export const rateOf = ({ requests, seconds }: RateLimit): number => requests / seconds;

/** Reads `RateLimit-Policy: "burst";q=100;w=60` (draft-ietf-httpapi-ratelimit-headers), and `100;w=60` of older drafts. */
function policyLimits({ headers }: Reply): RateLimit[] {
  const items = String(headers["ratelimit-policy"] ?? "").split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  return items.flatMap((item) => {
    const requests = toNumber(/;\s*q=(\d+)/i.exec(item)?.[1] ?? /^\s*(\d+)\s*(?:;|$)/.exec(item)?.[1]);
    return requests ? [{ requests, seconds: toNumber(/;\s*w=(\d+)/i.exec(item)?.[1]) ?? defaultWindowSeconds, announced: true }] : [];
  });
}

/** Reads `RateLimit-Limit` and `X-RateLimit-Limit`, which do not name their window, and `RateLimit: "default";r=50;t=30`. */
function headerLimits({ headers }: Reply): RateLimit[] {
  if (headers["ratelimit-policy"]) return [];
  const requests = toNumber(/^\s*(\d+)/.exec(String(headers["ratelimit-limit"] ?? headers["x-ratelimit-limit"] ?? ""))?.[1]);
  if (requests) return [{ requests, seconds: defaultWindowSeconds, announced: true }];
  const remaining = /;\s*r=(\d+)\s*;\s*t=(\d+)/i.exec(String(headers.ratelimit ?? ""));
  return remaining ? [{ requests: Math.max(1, Number(remaining[1])), seconds: Math.max(1, Number(remaining[2])), announced: true }] : [];
}

/** Assumes, from a 429 without a policy, one request per `Retry-After`, or one per second. */
const limitsOf429 = ({ status, headers }: Reply): RateLimit[] =>
  status === 429 ? [{ requests: 1, seconds: Math.max(1, secondsOf(headers["retry-after"]) ?? 1), announced: false }] : [];

const toNumber = (digits: string | undefined): number | undefined => (digits === undefined ? undefined : Number(digits) || undefined);
