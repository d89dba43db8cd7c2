// What an attack costs others: a client that must be served during every attack, waits for a server that computes, and memory.

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Attack, AttackedServer, Scale } from "./attack.ts";

// A client that behaves well and must be served during every attack: it reads and records a donation again and again, and repeats what
// was refused with 503 when Retry-After says so.

type RegularClient = {
  /** Stops sending requests. Resolves to a summary; throws when more than `maxFailedShare` of the requests failed. */
  stop: () => Promise<string>;
};

const pauseMs = 500;
/** A successful attack makes nearly every request fail. On a busy machine a few may fail without one. */
const maxFailedShare = 0.1;
const maxAttempts = 3;
const requestTimeoutMs = 60_000;

function startRegularClient({ url, keys }: AttackedServer): RegularClient {
  const failures: string[] = [];
  let sent = 0;
  let slowestMs = 0;
  let stopped = false;
  const sendRequest = async (path: string, body?: object): Promise<void> => {
    const began = performance.now();
    const fault = await faultOf(url + path, {
      method: body ? "POST" : "GET",
      headers: { Authorization: `Bearer ${keys.regularClient}`, "Content-Type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const ms = performance.now() - began;
    slowestMs = Math.max(slowestMs, ms);
    sent += 1;
    if (fault !== null) failures.push(`${path}: ${fault} after ${Math.round(ms)} ms`);
  };
  const running = (async () => {
    while (!stopped) {
      await Promise.all([
        sendRequest("/api/v1/me"),
        sendRequest("/api/v1/donations", { donatorName: "regular", amount: 1, skipAlert: true }),
      ]);
      await sleep(pauseMs);
    }
  })();
  return {
    stop: async () => {
      stopped = true;
      await running;
      if (failures.length > Math.max(1, sent * maxFailedShare))
        throw new Error(`${failures.length} of ${sent} requests of the regular client failed: ${failures.slice(0, 3).join("; ")}`);
      return `regular client: ${sent - failures.length} of ${sent} requests served, the slowest in ${Math.round(slowestMs)} ms`;
    },
  };
}

/** Sends the request, and again when it is refused with 503. Returns what the last attempt came to; null: it was served. */
async function faultOf(url: string, request: RequestInit): Promise<string | null> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(requestTimeoutMs) }).catch((error: Error) => error);
    if (answer instanceof Error) return answer.message;
    await answer.arrayBuffer().catch(() => {});
    if (answer.ok) return null;
    if (answer.status !== 503 || attempt === maxAttempts) return String(answer.status);
    await sleep(Number(answer.headers.get("retry-after")) * 1_000);
  }
}

/** Runs the attack while a regular client sends requests. Throws when the attack or the regular client fails. */
export async function runBesideRegularClient(server: AttackedServer, attack: () => Promise<string>): Promise<string> {
  const client = startRegularClient(server);
  const summary = await attack().catch(async (error) => {
    await client.stop().catch(() => {});
    throw error;
  });
  return `${summary}; ${await client.stop()}`;
}

// Measures for how long a server computes while another client waits, and how much memory it takes.

/** The most that a streamer's settings, texts or files may cost somebody else on an idle machine. */
const maxWaitMs = 100;
const askPauseMs = 5;
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
      await sleep(askPauseMs);
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
