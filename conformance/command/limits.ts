import type { Reply } from "../harness/client/http-client.ts";
import { secondsOf } from "../harness/client/rate-limit-patience.ts";

/** So many requests in so many seconds. `said`: whether the server named it. */
export type Limit = { requests: number; seconds: number; said: boolean };

const assumedWindow = 60;

/** The tightest limit that these answers speak of; null where there is none. */
export function limitOf(replies: readonly Reply[]): Limit | null {
  const limits = replies.flatMap((reply) => [...policies(reply), ...olderHeaders(reply), ...refusals(reply)]);
  const named = limits.filter(({ said }) => said);
  const [tightest = null] = (named.length > 0 ? named : limits).toSorted((a, b) => rateOf(a) - rateOf(b));
  return tightest;
}

export const rateOf = ({ requests, seconds }: Limit): number => requests / seconds;

/** `RateLimit-Policy: "burst";q=100;w=60` (draft-ietf-httpapi-ratelimit-headers), or as older drafts had it, `100;w=60`. */
function policies({ headers }: Reply): Limit[] {
  const items = String(headers["ratelimit-policy"] ?? "").split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/);
  return items.flatMap((item) => {
    const requests = number(/;\s*q=(\d+)/i.exec(item)?.[1] ?? /^\s*(\d+)\s*(?:;|$)/.exec(item)?.[1]);
    return requests ? [{ requests, seconds: number(/;\s*w=(\d+)/i.exec(item)?.[1]) ?? assumedWindow, said: true }] : [];
  });
}

/** `RateLimit-Limit`, `X-RateLimit-Limit`: requests in a window that nothing names; `RateLimit: "default";r=50;t=30`. */
function olderHeaders({ headers }: Reply): Limit[] {
  if (headers["ratelimit-policy"]) return [];
  const requests = number(/^\s*(\d+)/.exec(String(headers["ratelimit-limit"] ?? headers["x-ratelimit-limit"] ?? ""))?.[1]);
  if (requests) return [{ requests, seconds: assumedWindow, said: true }];
  const left = /;\s*r=(\d+)\s*;\s*t=(\d+)/i.exec(String(headers.ratelimit ?? ""));
  return left ? [{ requests: Math.max(1, Number(left[1])), seconds: Math.max(1, Number(left[2])), said: true }] : [];
}

/** A 429 that names no policy: a request a second, or one in the time it asks for. */
const refusals = ({ status, headers }: Reply): Limit[] =>
  status === 429 ? [{ requests: 1, seconds: Math.max(1, secondsOf(headers["retry-after"]) ?? 1), said: false }] : [];

const number = (digits: string | undefined): number | undefined => (digits === undefined ? undefined : Number(digits) || undefined);
