// A client that behaves well and must be served during every attack: it reads and records a donation again and again.

import { setTimeout as sleep } from "node:timers/promises";

import type { AttackedServer } from "./attack.ts";

export type RegularClient = {
  /** Stops sending requests. Resolves to a summary; throws when more than `maxFailedShare` of the requests failed. */
  stop: () => Promise<string>;
};

const pauseMs = 500;
/** A successful attack makes nearly every request fail. On a busy machine a few requests may time out or be answered with 503. */
const maxFailedShare = 0.1;
const requestTimeoutMs = 20_000;

export function startRegularClient({ url, keys }: AttackedServer): RegularClient {
  const failures: string[] = [];
  let sent = 0;
  let slowestMs = 0;
  let stopped = false;
  const sendRequest = async (path: string, body?: object): Promise<void> => {
    const began = performance.now();
    const answer = await fetch(url + path, {
      method: body ? "POST" : "GET",
      headers: { Authorization: `Bearer ${keys.regularClient}`, "Content-Type": "application/json" },
      signal: AbortSignal.timeout(requestTimeoutMs),
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: Error) => error);
    const ms = performance.now() - began;
    slowestMs = Math.max(slowestMs, ms);
    sent += 1;
    if (answer instanceof Error) failures.push(`${path}: ${answer.message}`);
    else if (!answer.ok) failures.push(`${path}: ${answer.status} after ${Math.round(ms)} ms`);
    if (!(answer instanceof Error)) await answer.arrayBuffer().catch(() => {});
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

/** Runs the attack while a regular client sends requests. Throws when the attack or the regular client fails. */
export async function runBesideRegularClient(server: AttackedServer, attack: () => Promise<string>): Promise<string> {
  const client = startRegularClient(server);
  const summary = await attack().catch(async (error) => {
    await client.stop().catch(() => {});
    throw error;
  });
  return `${summary}; ${await client.stop()}`;
}
