// A client that behaves well and must be served during every attack: it reads and records a donation again and again, and repeats what
// was refused with 503 when Retry-After says so.

import { setTimeout as sleep } from "node:timers/promises";

import type { AttackedServer } from "./attack.ts";

export type RegularClient = {
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
