import { setTimeout as sleep } from "node:timers/promises";
import { target } from "../server/target.ts";
import type { Reply } from "./http-client.ts";

// How the suite behaves towards a server that limits the rate.

const tries = 8;
const longest = 120;

/** No request starts before this: the server asked for time. */
let closedUntil = 0;

/** When the last request of a paced run started. */
let lastTurn = 0;

/** Keeps the run's pace; an answer 429 is waited for as `Retry-After` says, and the request repeated. */
export async function patiently(attempt: () => Promise<Reply>): Promise<Reply> {
  for (let tried = 1; ; tried += 1) {
    await turn();
    const reply = await attempt();
    if (reply.status !== 429 || tried === tries) return reply;
    const seconds = secondsOf(reply.headers["retry-after"]) ?? 2 ** (tried - 1);
    if (seconds > longest) return reply;
    closedUntil = Math.max(closedUntil, performance.now() + seconds * 1000);
  }
}

/** Seconds of a `Retry-After`, which is a number of them or a date (RFC 9110 10.2.3). */
export function secondsOf(retryAfter: string | undefined): number | null {
  if (retryAfter === undefined) return null;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const at = Date.parse(retryAfter);
  return Number.isNaN(at) ? null : Math.max(0, (at - Date.now()) / 1000);
}

async function turn(): Promise<void> {
  const { pace } = target();
  if (pace !== null) {
    lastTurn = Math.max(lastTurn + 1000 / pace, performance.now());
    await until(lastTurn);
  }
  while (performance.now() < closedUntil) await until(closedUntil);
}

async function until(time: number): Promise<void> {
  const left = time - performance.now();
  if (left > 0) await sleep(left);
}
