import { setTimeout as sleep } from "node:timers/promises";

import { expectProblem } from "./api.ts";
import type { Reply } from "./http-client.ts";

const promisedMs = 1_000;
const watchedMs = 3_000;
const pauseMs = 20;
/** A server learns of a revocation by a few statements, each of which takes as long as an answer on a machine that is busy. */
const answersOfDelay = 10;

/**
 * Uses a credential all the time for three seconds from its revocation on: it is refused with token_revoked within a second, and never
 * accepted again. The second is extended by ten of the slowest answers, so that a busy machine does not make a sound server fail.
 */
export async function expectRevokedSoon(use: () => Promise<Reply>): Promise<void> {
  const revokedAt = performance.now();
  let slowest = 0;
  let isRefused = false;
  for (let sentAt = revokedAt; sentAt < revokedAt + watchedMs; await sleep(pauseMs)) {
    sentAt = performance.now();
    const reply = await use();
    slowest = Math.max(slowest, performance.now() - sentAt);
    const isDue = sentAt > revokedAt + promisedMs + answersOfDelay * slowest;
    if (reply.status !== 200 || isRefused || isDue) expectProblem(reply, 401, "token_revoked");
    isRefused ||= reply.status === 401;
  }
}
