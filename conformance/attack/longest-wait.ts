// Measures for how long a server computes while another client waits, and how much memory it takes.

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";

import type { Attack, AttackedServer, Scale } from "./attack.ts";

/** The most that a streamer's settings, texts or files may cost somebody else on an idle machine. */
const maxWaitMs = 100;
const pauseMs = 5;
/** A busy machine makes everybody wait at times; a server that computes for too long makes them wait each time. */
export const attempts = 3;

/** An attack during which others hardly wait. `salt`: letters that are new in each attempt, so that nothing is known of its texts yet. */
export function withoutWaits(rule: string, attack: (server: AttackedServer, salt: string, scale: Scale) => Promise<unknown>): Attack {
  return {
    rule,
    run: async (server, scale) => {
      const waits: string[] = [];
      for (let attempt = 0; attempt < attempts; attempt += 1) {
        const { busy, wait, count } = await longestWait(server, () => attack(server, randomBytes(4).toString("hex"), scale));
        waits.push(`others waited ${busy} ms at most while the server computed, ${wait} ms in all, in ${count} requests`);
        if (busy <= maxWaitMs * crowd()) return waits.join("; ");
      }
      throw new Error(waits.join("; "));
    },
  };
}

/** How many programs share a processor: one that waits for it reads its answer late, and the server computes for others meanwhile. */
function crowd(): number {
  return Math.max(1, (loadavg()[0] as number) / availableParallelism());
}

/** In milliseconds. `busy`: of a wait, at most what the server's process has computed meanwhile: on a busy machine it waits for a processor as well. */
type Waits = { busy: number; wait: number; count: number };

/** Resolves to the longest waits for the cheapest answer of the server meanwhile. */
async function longestWait({ url, pid }: AttackedServer, meanwhile: () => Promise<unknown>): Promise<Waits> {
  const ended = new AbortController();
  const asking = (async (): Promise<Waits> => {
    const longest = { busy: 0, wait: 0, count: 0 };
    while (!ended.signal.aborted) {
      const [began, computed] = [performance.now(), await computedMs(pid)];
      await (await fetch(`${url}/livez`)).arrayBuffer();
      const wait = Math.round(performance.now() - began);
      longest.wait = Math.max(longest.wait, wait);
      longest.busy = Math.max(longest.busy, Math.min(wait, (await computedMs(pid)) - computed));
      longest.count += 1;
      await sleep(pauseMs);
    }
    return longest;
  })();
  asking.catch(() => {}); // read below
  await meanwhile().finally(() => ended.abort());
  return asking;
}

/** Time that the event loop of the process has computed, in milliseconds, by hundredths of a second; on a system without /proc all time counts. */
export async function computedMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/task/${pid}/stat`, "utf8").catch(() => null);
  if (stat === null) return performance.now();
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13);
  return 10 * (Number(user) + Number(system));
}

/** In MB; null on systems without /proc. */
export async function memoryOf({ pid }: AttackedServer): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => null);
  return status === null ? null : Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}
