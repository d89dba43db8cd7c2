// Server processes that are killed while they deliver: every event must arrive at every endpoint, and one that arrives twice must have the
// same webhook-id twice.

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { addStreamerWithKeys } from "../../client/operator.ts";
import { seeded } from "../../values/seeded.ts";
import { checkDeliveries, type DeliveryBreaches } from "./check-deliveries.ts";
import type { CutsOptions } from "./cuts.ts";
import { type FragileServers, startFragileServers } from "./fragile-servers.ts";
import { type HoldingReceiver, openHoldingReceiver } from "./holding-receiver.ts";
import { catchUpMs, emptyQueue, listFrom } from "./log.ts";
import { startWriters } from "./writers.ts";

/** `seed` chooses when and what is killed. `kills`: in mid-delivery. */
export type KillsOptions = Pick<CutsOptions, "operator" | "processes" | "seed" | "report"> & Readonly<{ kills: number; endpoints: number }>;

export type KillsMeasured = DeliveryBreaches &
  Readonly<{
    kills: number;
    /** Of the log. */
    events: number;
    recorded: number;
    endpoints: number;
    /** Requests that the endpoints got. */
    requests: number;
  }>;

const scopes = "write:donations read:donations write:alerts read:alerts write:webhooks";
/** An endpoint gets up to so many events between two kills. */
const mostBetween = 60;
const requestMs = 30_000;

export async function killInDelivery(options: KillsOptions): Promise<KillsMeasured> {
  const env = { ...options.operator.env, WEBHOOKS: "local" };
  const servers = await startFragileServers({ ...options.operator, env }, options.processes);
  const receiver = await openHoldingReceiver();
  try {
    return await measure(servers, receiver, options);
  } finally {
    receiver.close();
    await servers.stop();
  }
}

async function measure(servers: FragileServers, receiver: HoldingReceiver, options: KillsOptions): Promise<KillsMeasured> {
  const { operator, urls } = servers;
  const handle = `s${randomUUID().slice(0, 8)}`;
  const { key, overlayKey } = await addStreamerWithKeys(operator, handle, scopes);
  const url = urls[0] as string;
  const paths = Array.from({ length: options.endpoints }, (_, index) => `/${index}`);
  const { position: after } = await listFrom(url, key, "latest");
  for (const path of paths) await addEndpoint(url, key, `${receiver.url}${path}`);
  const writers = startWriters({ urls, key, overlayKey, random: seeded(options.seed), pauseMs: 40 }, 3);
  await killWhileHeld(servers, receiver, options);
  await writers.stop();
  await emptyQueue(url, key);
  const { ids } = await listFrom(url, key, after);
  const isThere = (path: string) => new Set(receiver.received(path).map(({ id }) => id)).size >= ids.length;
  for (const deadline = Date.now() + catchUpMs; !paths.every(isThere) && Date.now() < deadline; ) await sleep(50);
  return {
    ...checkDeliveries(
      paths.map((path) => receiver.received(path)),
      ids,
    ),
    kills: options.kills,
    events: ids.length,
    recorded: writers.recorded(),
    endpoints: paths.length,
    requests: paths.reduce((sum, path) => sum + receiver.received(path).length, 0),
  };
}

async function addEndpoint(url: string, key: string, target: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const answer = await fetch(`${url}/api/v1/webhooks`, { method: "POST", headers, body: JSON.stringify({ url: target }) });
  if (answer.status !== 201) throw new Error(`an endpoint was answered ${answer.status}: ${await answer.text()}`);
}

/**
 * Kills so many times while the receiver holds its answer to a request, or at once after an answer that is not noted yet. Which process
 * sends is not known from outside: processes are killed one after the other until the request that is held has ended.
 */
async function killWhileHeld(servers: FragileServers, receiver: HoldingReceiver, options: KillsOptions): Promise<void> {
  const { kills, seed, report = () => {} } = options;
  const random = seeded(seed - 1);
  for (let killed = 0; killed < kills; killed += 1) {
    const held = await receiver.hold({ after: Math.floor(mostBetween * random()), timeoutMs: requestMs });
    if (random() < 0.5) held.answer();
    let index = Math.floor(random() * servers.urls.length);
    for (let tries = 0; tries < servers.urls.length && (tries === 0 || !held.isOver()); tries += 1, index += 1)
      await servers.killServer(index % servers.urls.length);
    held.answer();
    report(`killed in mid-delivery: ${killed + 1} of ${kills}`);
  }
}
