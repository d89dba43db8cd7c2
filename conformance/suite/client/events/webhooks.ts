// Webhooks of a streamer of their own, and a receiver on this machine that the server delivers to.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook as Verifier } from "standardwebhooks";
import { afterEach, beforeAll, expect, type TestContext } from "vitest";

import type { components } from "../../../../generated/api.d.ts";
import { deliveryFaults } from "../../contract/deliveries.ts";
import type { Reply } from "../../contract/http-request.ts";
import { scopes } from "../../contract/scopes.ts";
import { operatorOf, target } from "../../values/target.ts";
import { stateLimitMs } from "../../values/time-limits.ts";
import { type Query, queryText } from "../api.ts";
import { send } from "../http-client.ts";
import { addStreamerWithKeys } from "../operator.ts";
import type { Event } from "./event-stream.ts";

export type Webhook = components["schemas"]["Webhook"];
export type WebhookWithSecret = components["schemas"]["WebhookWithSecret"];
export type Delivery = components["schemas"]["WebhookDelivery"];
export type DeliveryPage = components["schemas"]["WebhookDeliveryPage"];

/** A request that the receiver got. */
export type Received = { headers: IncomingHttpHeaders; body: string; event: Omit<Event, "id"> };

export type Receiver = {
  url: string;
  received: Received[];
  /** What is answered to requests from now on; `after`: not before this resolves. */
  answer: { status: number; headers?: Record<string, string>; body?: string; after?: Promise<void> };
  /** Waits until this many requests have come. */
  have: (count: number) => Promise<Received[]>;
};

const unknownId = "01932f6e-8a00-7000-8000-3f1e5a7c9b21";

/** Ids that name nothing: unknown and malformed ones. */
export const idsOfNothing = [unknownId, "x", unknownId.toUpperCase()];

/** A streamer of this file, and their key with all scopes; skips where the suite can't create one. */
export function ownStreamer(): (context: TestContext) => string {
  let key = "";
  beforeAll(async () => {
    const { operator } = target();
    if (!operator) return;
    const handle = `webhooks-${crypto.randomUUID().slice(0, 8)}`;
    ({ key } = await addStreamerWithKeys(operator, handle, scopes.join(" ")));
  });
  return (context) => {
    operatorOf(context);
    return key;
  };
}

/** Name of an application that nobody else uses. */
export const freshApplication = (): string => `webhooks ${crypto.randomUUID().slice(0, 8)}`;

const path = "/api/v1/webhooks";

/** Sends an operation on webhooks: `["POST", "/{id}/test"]`. */
export const call = (key: string, [method, below]: [method: string, below: string], body?: unknown): Promise<Reply> =>
  send({
    method,
    path: `${path}${below}`,
    key,
    ...(body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
  });

export const create = (key: string, body: object): Promise<Reply> => call(key, ["POST", ""], body);

/** The data of an answer with this status. */
export function dataOf<Data>(reply: Reply, status = 200): Data {
  expect(reply.status, reply.text).toBe(status);
  return (reply.body as { data: Data }).data;
}

export const created = async (key: string, body: object): Promise<WebhookWithSecret> => dataOf(await create(key, body), 201);

export const find = async (key: string, id: string): Promise<Webhook> => dataOf(await call(key, ["GET", `/${id}`]));

export async function deliveriesOf(key: string, id: string, query: Query = {}): Promise<DeliveryPage> {
  const reply = await call(key, ["GET", `/${id}/deliveries${queryText(query)}`]);
  expect(reply.status, reply.text).toBe(200);
  return reply.body as DeliveryPage;
}

/** Waits until the webhook has this many deliveries with this status. */
export async function settled(key: string, id: string, { status, count }: { status: string; count: number }): Promise<Delivery[]> {
  for (const deadline = Date.now() + stateLimitMs; Date.now() < deadline; await sleep(50)) {
    const { data } = await deliveriesOf(key, id, { status });
    if (data.length >= count) return data;
  }
  throw new Error(`there were not ${count} deliveries with the status ${status}`);
}

/** Milliseconds from the end of the last attempt to the next one, as the delivery says: however slow the machine is. */
export function plannedWaitMs({ attempts, nextAttemptAt }: Delivery): number {
  const last = attempts.at(-1);
  if (!last) throw new Error("the delivery has no attempt");
  return Date.parse(nextAttemptAt ?? "") - Date.parse(last.at) - last.milliseconds;
}

const removeAll = async (key: string): Promise<void> => {
  for (const { id } of dataOf<Webhook[]>(await call(key, ["GET", ""]))) await call(key, ["DELETE", `/${id}`]);
};

/** Deletes the webhooks of each test after it. */
export function cleanUp(streamer: (context: TestContext) => string): void {
  afterEach(async (context) => {
    if (target().operator) await removeAll(streamer(context));
    for (const close of closing.splice(0)) close();
    const [failure] = failures.splice(0);
    if (failure) throw failure;
  });
}

/** Deliveries of this test that were not as they must be. */
const failures: unknown[] = [];

const closing: (() => void)[] = [];

/**
 * Opens a receiver. Every request is checked, its signature by the public library, and headers and body by the contract: the test fails, also
 * when it does not look at that request.
 */
export async function openReceiver(secretOf: () => string): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    try {
      received.push({ headers: request.headers, body, event: checked(secretOf(), request.headers, body) });
    } catch (error) {
      failures.push(error);
    }
    const { status, headers, body: answered = "", after } = receiver.answer;
    await after;
    response.writeHead(status, headers).end(answered);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  closing.push(() => void server.close().closeAllConnections());
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    answer: { status: 200, body: "ok" },
    have: async (count) => {
      for (const deadline = Date.now() + stateLimitMs; Date.now() < deadline; await sleep(10)) {
        if (failures.length > 0) throw failures[0];
        if (received.length >= count) return received;
      }
      throw new Error(`${count} deliveries did not come, only ${received.length}`);
    },
  };
  return receiver;
}

function checked(secret: string, headers: IncomingHttpHeaders, body: string): Omit<Event, "id"> {
  const event = new Verifier(secret).verify(body, headers as Record<string, string>) as Omit<Event, "id">;
  expect(deliveryFaults(headers, event), body).toEqual([]);
  return event;
}
