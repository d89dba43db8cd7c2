// Uses a credential all the time, to see from when on it is refused.

import { setTimeout as sleep } from "node:timers/promises";
import type { Reply } from "../contract/http-request.ts";
import { expectProblem } from "./api.ts";

const promisedMs = 1_000;
const pauseMs = 20;
const watchedMs = 3_000;
/** A server learns of a revocation by a few statements, each of which takes about as long as an answer on a busy machine. */
const answersOfDelay = 3;

/** Times in milliseconds since 1970. */
type Use = { sentAt: number; answeredAt: number; reply: Reply };

/** The uses of a credential while it was watched. */
type Watch = {
  /**
   * Watches for three seconds more, and then expects every use after the revocation to be refused with token_revoked: from a second after
   * `revokedAt` on, and never accepted after it was refused. The second is extended by three of the slowest answers.
   */
  expectRevoked: (revokedAt: () => number | Promise<number>) => Promise<void>;
};

/** Begins to use a credential all the time. */
export function watchUses(use: () => Promise<Reply>): Watch {
  const uses: Use[] = [];
  let isWatching = true;
  const watching = (async () => {
    while (isWatching) {
      const sentAt = Date.now();
      const reply = await use();
      uses.push({ sentAt, answeredAt: Date.now(), reply });
      await sleep(pauseMs);
    }
  })();
  watching.catch(() => {}); // expectRevoked awaits it
  return {
    expectRevoked: async (revokedAt) => {
      await sleep(watchedMs);
      isWatching = false;
      await watching;
      expectRefusals(uses, await revokedAt());
    },
  };
}

function expectRefusals(uses: readonly Use[], revokedAt: number): void {
  const slowest = Math.max(...uses.map(({ sentAt, answeredAt }) => answeredAt - sentAt));
  const dueAt = revokedAt + promisedMs + answersOfDelay * slowest;
  let isRefused = false;
  for (const { sentAt, reply } of uses) {
    if (sentAt > dueAt || isRefused || reply.status !== 200) expectProblem(reply, 401, "token_revoked");
    isRefused ||= reply.status === 401;
  }
}
