// Paces requests and repeats refused ones on a server that limits the rate.

import { setTimeout as sleep } from "node:timers/promises";
import type { Reply } from "../contract/http-request.ts";
import { endAsNotRun, outsideOfRule } from "../values/running.ts";
import { target } from "../values/target.ts";

const maxAttempts = 8;
const maxAttemptsWhenBusy = 4;
const maxWaitSeconds = 120;

/** No request starts before this time (ms of performance.now()): an answer 429 asked to wait. */
let blockedUntil = 0;

/** Start of the last request of a paced run, in ms of performance.now(). */
let lastStart = 0;

/** While the server says that it takes so many more requests at once, a paced run sends without waiting. Others may share its limit. */
const reserve = 20;

/** Requests that the server takes at once, by the `RateLimit` header of its last answer; null: it does not say. */
let remaining: number | null = null;

type Answered = Pick<Reply, "status" | "headers">;

/** Is told before each wait how long that takes; throws where there is no time for it. */
type BeforeWait = (milliseconds: number) => void;

/** `isRepeatable`: whether the request may be sent again after a 503; one that 429 refuses always may. */
type Retries = { beforeWait?: BeforeWait; isRepeatable?: boolean };

/**
 * Keeps the run's pace; after an answer 429 waits as `Retry-After` says and repeats the request. The same after a 503 of a server of someone
 * else, which may be busy with others.
 */
export async function withRateLimitRetries<T extends Answered>(attempt: () => Promise<T>, how: Retries = {}): Promise<T> {
  const { beforeWait = () => {}, isRepeatable = true } = how;
  for (let tried = 1; ; tried += 1) {
    await outsideOfRule(() => waitForTurn(beforeWait));
    const reply = await attempt();
    remaining = remainingOf(reply);
    if (isBusy(reply) && isRepeatable && tried < maxAttemptsWhenBusy) {
      const milliseconds = (secondsOf(reply.headers["retry-after"]) ?? 0) * 1000;
      beforeWait(milliseconds);
      await outsideOfRule(() => sleep(milliseconds));
      continue;
    }
    if (reply.status !== 429 || tried === maxAttempts) return reply;
    const seconds = secondsOf(reply.headers["retry-after"]) ?? 2 ** (tried - 1);
    if (seconds > maxWaitSeconds) return reply;
    blockedUntil = Math.max(blockedUntil, performance.now() + seconds * 1000);
  }
}

/** Whether a server of someone else asks to come again later, in at most two minutes. */
function isBusy(reply: Answered): boolean {
  return asksToComeAgain(reply) && (secondsOf(reply.headers["retry-after"]) ?? 0) <= maxWaitSeconds;
}

const asksToComeAgain = ({ status, headers }: Answered): boolean =>
  target().foreign && status === 503 && secondsOf(headers["retry-after"]) !== null;

/** Ends the rule as "not run" where a server of someone else has refused its request in every attempt: the answer says nothing about the rule. */
export function expectNotRefused(reply: Answered): void {
  if (reply.status === 429 && target().foreign) endAsNotRun("the server's rate limit refused its request in every attempt");
  if (asksToComeAgain(reply)) endAsNotRun("the server was busy (503 with Retry-After) in every attempt");
}

/** Seconds of a `Retry-After`, which is a number of them or a date (RFC 9110 10.2.3). */
export function secondsOf(retryAfter: string | undefined): number | null {
  if (retryAfter === undefined) return null;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? null : Math.max(0, (at - Date.now()) / 1000);
}

/** `RateLimit: "read";r=299;t=1` (draft-ietf-httpapi-ratelimit-headers); of several the least. */
function remainingOf({ headers }: Answered): number | null {
  const found = [...String(headers.ratelimit ?? "").matchAll(/;\s*r=(\d+)/gi)].map(([, digits]) => Number(digits));
  return found.length > 0 ? Math.min(...found) : null;
}

async function waitForTurn(beforeWait: BeforeWait): Promise<void> {
  const { pace } = target();
  if (pace !== null && remaining !== null && remaining >= reserve) {
    remaining -= 1; // several may start before the next answer
    lastStart = performance.now();
  } else if (pace !== null) {
    const start = Math.max(lastStart + 1000 / pace, performance.now());
    beforeWait(start - performance.now());
    lastStart = start;
    await waitUntil(start);
  }
  while (performance.now() < blockedUntil) {
    beforeWait(blockedUntil - performance.now());
    await waitUntil(blockedUntil);
  }
}

async function waitUntil(time: number): Promise<void> {
  const left = time - performance.now();
  if (left > 0) await sleep(left);
}
