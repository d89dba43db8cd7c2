// Server processes that are killed while they deliver: every event must arrive at every endpoint, and one that arrives twice must have the
// same webhook-id twice.

import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { addStreamerWithKeys } from "../../client/operator.ts";
import { seeded } from "../../values/run-settings.ts";
import { type CutsOptions, type FragileServers, startFragileServers } from "./cuts.ts";
import { catchUpMs, emptyQueue, listFrom, startWriters } from "./log.ts";

/** `seed` chooses when and what is killed. `kills`: in mid-delivery. */
type KillsOptions = Pick<CutsOptions, "operator" | "processes" | "seed" | "report"> & Readonly<{ kills: number; endpoints: number }>;

type KillsMeasured = DeliveryBreaches &
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
  const writers = startWriters({ urls, key, overlayKey, random: seeded(options.seed), pauseMs: 40 });
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

// Compares what endpoints have received with the log as it is listed at the end.

type DeliveryBreaches = Readonly<{
  /** Events of the log that an endpoint did not get. */
  lost: number;
  /** Requests that repeat an event which the endpoint had got. They are no breach: an endpoint drops what has a known webhook-id. */
  repeated: number;
  /** Repeated requests with another body. */
  changed: number;
  /** Requests whose webhook-id is of no event of the log, or whose body came under another webhook-id before. */
  renamed: number;
}>;

export const noDeliveryBreach = { lost: 0, changed: 0, renamed: 0 };

/** `endpoints`: what each of them got. `listed`: ids of the log. */
function checkDeliveries(endpoints: readonly (readonly Delivered[])[], listed: readonly string[]): DeliveryBreaches {
  const found = endpoints.map((received) => check(received, new Set(listed)));
  const sum = (name: keyof DeliveryBreaches) => found.reduce((total, one) => total + one[name], 0);
  return { lost: sum("lost"), repeated: sum("repeated"), changed: sum("changed"), renamed: sum("renamed") };
}

function check(received: readonly Delivered[], listed: ReadonlySet<string>): DeliveryBreaches {
  const bodies = new Map<string, string>();
  const ids = new Map<string, string>();
  let [repeated, changed, renamed] = [0, 0, 0];
  for (const { id, body } of received) {
    const known = bodies.get(id);
    if (known !== undefined) repeated += 1;
    if (known !== undefined && known !== body) changed += 1;
    if (!listed.has(id) || (ids.get(body) ?? id) !== id) renamed += 1;
    bodies.set(id, body);
    ids.set(body, id);
  }
  const lost = [...listed].filter((id) => !bodies.has(id)).length;
  return { lost, repeated, changed, renamed };
}

// A receiver of webhooks on this machine that can hold the answer to a request for as long as a test wants.

/** A request as it was received: its `webhook-id`, and its body. */
type Delivered = Readonly<{ id: string; body: string }>;

/** A request whose answer is held. */
type Held = Readonly<{
  answer: () => void;
  /** Whether it was answered, or its sender has gone. */
  isOver: () => boolean;
}>;

type HoldingReceiver = {
  url: string;
  received: (path: string) => readonly Delivered[];
  /** Holds the answer to the request that comes after so many others. Rejects when none comes in time. */
  hold: (options: { after: number; timeoutMs: number }) => Promise<Held>;
  close: () => void;
};

async function openHoldingReceiver(): Promise<HoldingReceiver> {
  const received = new Map<string, Delivered[]>();
  let waiting: { count: number; hold: (held: Held) => void } | null = null;
  const server = createServer(async (request, response) => {
    const delivered = { id: String(request.headers["webhook-id"]), body: await text(request) };
    const path = request.url ?? "/";
    received.set(path, [...(received.get(path) ?? []), delivered]);
    if (waiting === null || waiting.count-- > 0) return void response.end();
    waiting.hold(holdOf(response));
    waiting = null;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: (path) => received.get(path) ?? [],
    hold: async ({ after, timeoutMs }) => {
      const held = new Promise<Held>((hold) => {
        waiting = { count: after, hold };
      });
      const late = sleep(timeoutMs, undefined, { ref: false }).then(() => {
        throw new Error(`no delivery came within ${timeoutMs / 1000} s`);
      });
      return Promise.race([held, late]);
    },
    close: () => void server.close().closeAllConnections(),
  };
}

function holdOf(response: ServerResponse): Held {
  let isOver = false;
  response.once("close", () => {
    isOver = true;
  });
  return { answer: () => void response.end(), isOver: () => isOver };
}
