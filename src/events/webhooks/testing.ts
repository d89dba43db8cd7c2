// Webhooks in tests: streamers on a real database, a clock that a test moves, workers, and receivers on this machine.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import { afterEach } from "vitest";
import { batchedReads } from "../../db/batched-reads.ts";
import type { Database } from "../../db/database.ts";
import { makeSealer } from "../../db/secrets.ts";
import { silent, until, useDatabase } from "../../db/testing.ts";
import { makeWriter, type Writer } from "../../donations/record/writer.ts";
import { someDonation } from "../../donations/testing.ts";
import type { Resolve } from "../../http/addresses.ts";
import type { Scope } from "../../http/operations.ts";
import type { EventType } from "../event.ts";
import { eventLog } from "../log.ts";
import { type Delivery, deliveryStatuses, deliveryStore } from "./deliveries.ts";
import { type Endpoint, endpointStore, type Owner } from "./endpoints.ts";
import { resolverFor } from "./request/address.ts";
import { formatSecret, newSecret, type SenderOptions, sender } from "./request/send.ts";
import { startWorker, type Worker } from "./worker/worker.ts";
import { workerStore } from "./worker/worker-store.ts";

type Received = { id: string; headers: IncomingHttpHeaders; body: string; donationId: string };
export type Receiver = { url: string; received: Received[]; ids: () => string[]; close: () => void };
/** `hang`: never answers. */
export type Answer = { status: number; headers?: Record<string, string>; body?: string } | "hang";

export type WorkerOptions = {
  leaseMs?: number;
  timeouts?: NonNullable<SenderOptions["timeouts"]>;
  resolve?: Resolve;
  random?: () => number;
};

/**
 * Gives a test file webhooks on a database of its own. After each test `opened` is closed, the latest first, and every endpoint is deleted,
 * so that no other test's worker sends to it.
 */
export function useTestWebhooks() {
  const setting = { webhooks: null as unknown as ReturnType<typeof openTestWebhooks>, opened: [] as (() => unknown)[] };
  useDatabase(async (database) => {
    setting.webhooks = openTestWebhooks(database);
  });
  afterEach(async () => {
    for (const close of setting.opened.splice(0).toReversed()) await close();
    await setting.webhooks.knex("webhook_endpoints").update({ deleted_at: new Date() });
  });
  return setting;
}

function openTestWebhooks(database: Database) {
  const { knex } = database;
  let movedMs = 0;
  const now = () => Date.now() + movedMs;
  const sealer = makeSealer(null);
  const writer = makeWriter({ pool: database.pool({ max: 2 }), log: silent, announce: () => {}, onBatch: () => {} });
  const endpoints = endpointStore(knex, sealer, now);
  const deliveries = deliveryStore(knex, now, 16); // a few donations need several statements
  const reads = batchedReads(database.pool({ max: 2 }));
  return {
    knex,
    now,
    endpoints,
    deliveries,
    /** Moves the clock of retries and rotations. */
    advance: (ms: number) => {
      movedMs += ms;
    },
    owner: (scopes: readonly Scope[] = ["read:donations", "read:alerts"]) => newOwner(knex, scopes),
    donate: (owner: Owner, count = 1) => donate(writer, owner, count),
    endpoint: async (owner: Owner, url: string, types: EventType[] = ["donation.created"]) => {
      const secret = newSecret();
      const endpoint = (await endpoints.insert(
        owner,
        { id: uuidv7(), url, description: "", types, withImported: true, secret },
        10,
      )) as Endpoint;
      return { ...endpoint, secret: formatSecret(secret) };
    },
    deliveriesOf: (endpointId: string): Promise<Delivery[]> =>
      deliveries.page(endpointId, { statuses: deliveryStatuses, before: null, limit: 100 }),
    worker: ({ leaseMs = 60_000, timeouts, resolve, random = () => 0.5 }: WorkerOptions = {}): Worker => {
      const mode = resolve ? "on" : "local";
      const options = {
        mode,
        ports: [443],
        resolve: resolverFor(mode, resolve),
        userAgent: "test",
        now,
        ...(timeouts && { timeouts }),
      } as const;
      const store = workerStore({
        knex: database.pool({ max: 2 }),
        deliveriesKnex: database.pool({ max: 2 }),
        reads,
        sealer,
        now,
        workerId: uuidv7(),
        leaseMs,
      });
      return startWorker(
        {
          store,
          events: eventLog(knex, reads),
          random,
          now,
          onAttempt: () => {},
        },
        sender(options),
        silent,
      );
    },
  };
}

/** A receiver; `answer` is asked for each request. */
export async function openReceiver(answer: (received: Received) => Answer = () => ({ status: 200 })): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response: ServerResponse) => {
    const body = await text(request);
    const one = { id: String(request.headers["webhook-id"]), headers: request.headers, body, donationId: JSON.parse(body).data.id };
    received.push(one);
    const reply = answer(one);
    if (reply !== "hang") response.writeHead(reply.status, reply.headers).end(reply.body ?? "");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    received,
    ids: () => received.map(({ id }) => id),
    close: () => void server.close().closeAllConnections(),
  };
}

/** Lets the worker send until it has nothing to do. */
export async function sendAll(worker: Worker): Promise<void> {
  await worker.tick();
  await worker.idle();
}

export const have = (receiver: Receiver, count: number): Promise<void> => until(async () => receiver.received.length >= count);

/** A streamer, and an application with an API key. */
async function newOwner(knex: Knex, scopes: readonly Scope[]): Promise<Owner> {
  const [streamerId, applicationId] = [uuidv7(), uuidv7()];
  await knex("streamers").insert({ id: streamerId });
  await knex("applications").insert({ id: applicationId, streamer_id: streamerId, name: "default" });
  const key = { id: uuidv7(), streamer_id: streamerId, application_id: applicationId, public_id: applicationId, secret_hash: Buffer.of(0) };
  await knex("api_keys").insert({ ...key, name: "key", scopes });
  return { streamerId, applicationId };
}

/** Resolves to the ids of their events, in order. */
async function donate(writer: Writer, { streamerId }: Owner, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) ids.push((await writer.record(someDonation(streamerId))).donation.id);
  return ids;
}
