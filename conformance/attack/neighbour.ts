// Somebody else, who has to be served whatever happens beside: one who reads and one who records, again and again.

import { setTimeout as sleep } from "node:timers/promises";

import type { Arena } from "./arena.ts";

export type Neighbour = {
  /** Stops asking. Throws where more than a tenth of the requests was not served; says how they were. */
  served: () => Promise<string>;
};

const pauseMs = 500;
/** An attack that works keeps nearly every request from being served. A busy machine may let one of them wait, or answer 503 once. */
const toleratedShare = 0.1;
const patienceMs = 20_000;

export function neighbourOf({ url, keys }: Arena): Neighbour {
  const failures: string[] = [];
  let asked = 0;
  let slowest = 0;
  let leaving = false;
  const ask = async (path: string, body?: object): Promise<void> => {
    const began = performance.now();
    const answer = await fetch(url + path, {
      method: body ? "POST" : "GET",
      headers: { Authorization: `Bearer ${keys.neighbour}`, "Content-Type": "application/json" },
      signal: AbortSignal.timeout(patienceMs),
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: Error) => error);
    const ms = performance.now() - began;
    slowest = Math.max(slowest, ms);
    asked += 1;
    if (answer instanceof Error) failures.push(`${path}: ${answer.message}`);
    else if (!answer.ok) failures.push(`${path}: ${answer.status} after ${Math.round(ms)} ms`);
    if (!(answer instanceof Error)) await answer.arrayBuffer().catch(() => {});
  };
  const asking = (async () => {
    while (!leaving) {
      await Promise.all([ask("/api/v1/me"), ask("/api/v1/donations", { donatorName: "neighbour", amount: 1, skipAlert: true })]);
      await sleep(pauseMs);
    }
  })();
  return {
    served: async () => {
      leaving = true;
      await asking;
      if (failures.length > Math.max(1, asked * toleratedShare))
        throw new Error(`${failures.length} of ${asked} requests of others failed: ${failures.slice(0, 3).join("; ")}`);
      return `others: ${asked - failures.length} of ${asked} served, the slowest after ${Math.round(slowest)} ms`;
    },
  };
}

/** Runs the attack beside a neighbour, who must be served. */
export async function besideNeighbour(arena: Arena, attack: () => Promise<string>): Promise<string> {
  const neighbour = neighbourOf(arena);
  const seen = await attack().catch(async (error) => {
    await neighbour.served().catch(() => {});
    throw error;
  });
  return `${seen}; ${await neighbour.served()}`;
}
