// Webhooks, as rules create and read them.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { Webhook as Verifier } from "standardwebhooks";
import { afterEach, expect, type TestContext } from "vitest";
import type { components } from "../../../../generated/api.d.ts";
import { contract, type Parameter, type Schema, sealed, token } from "../../contract/contract.ts";
import type { Reply } from "../../contract/http-request.ts";
import { unknownId } from "../../contract/resources.ts";
import { stateLimitMs } from "../../values/run-settings.ts";
import { endAsNotRun } from "../../values/running.ts";
import { keyOf, target } from "../../values/target.ts";
import { get, type Query, queryText } from "../api.ts";
import { send } from "../http-client.ts";
import { newStreamer } from "../operator.ts";
import { isRecordedHere } from "../protection/guard.ts";
import { ownObjects } from "../protection/own.ts";
import type { Event } from "./event-stream.ts";

export type Webhook = components["schemas"]["Webhook"];
export type WebhookWithSecret = components["schemas"]["WebhookWithSecret"];
export type Delivery = components["schemas"]["WebhookDelivery"];
type DeliveryPage = components["schemas"]["WebhookDeliveryPage"];

/** Ids that name nothing: unknown and malformed ones. */
export const idsOfNothing = [unknownId, "x", unknownId.toUpperCase()];

/** A key with all scopes: of a streamer of this file alone, or of the run's where the suite can create none. */
export function ownStreamer(): (context: TestContext) => string {
  const created = newStreamer();
  return (context) => (target().foreign ? target().keys.main : created(context));
}

/** The key of another streamer than `ownStreamer`'s. */
export const anotherStreamer = (context: TestContext): string => (target().foreign ? keyOf(context, "other") : target().keys.main);

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

/** Creates a webhook. Ends the rule as "not run" where those of a streamer of someone else leave no room for another one. */
export async function create(key: string, body: object): Promise<Reply> {
  const reply = await call(key, ["POST", ""], body);
  await expectRoom(reply, { name: "webhook", path }, key);
  return reply;
}

/** Ends the rule as "not run" where the objects of a streamer of someone else leave no room for the one that this answer refuses. */
export async function expectRoom({ status }: Reply, { name, path }: { name: string; path: string }, key: string): Promise<void> {
  if (!target().foreign || status !== 409) return;
  const others = dataOf<Webhook[]>(await send({ path, key })).filter(({ id }) => !ownObjects().has(`${path}/${id}`));
  if (others.length > 0) endAsNotRun(`the streamer has no room for another ${name}`);
}

/** The data of an answer with this status. */
export function dataOf<Data>(reply: Reply, status = 200): Data {
  expect(reply.status, reply.text).toBe(status);
  return (reply.body as { data: Data }).data;
}

/** Creates a webhook. Ends the rule as "not run" where the server refuses the address that the tester has given. */
export async function created(key: string, body: { url?: string; [member: string]: unknown }): Promise<WebhookWithSecret> {
  const reply = await create(key, body);
  const { receiver } = target();
  const isGiven = receiver !== null && body.url?.startsWith(`${receiver.url}/`);
  if (isGiven && (reply.body as { code?: unknown } | null)?.code === "webhook_url_refused")
    endAsNotRun(`needs a receiver that the server can deliver to: it refuses --receiver-url ${receiver.url} (webhook_url_refused)`);
  return dataOf(reply, 201);
}

export const find = async (key: string, id: string): Promise<Webhook> => dataOf(await call(key, ["GET", `/${id}`]));

export async function deliveriesOf(key: string, id: string, query: Query = {}): Promise<DeliveryPage> {
  const reply = await call(key, ["GET", `/${id}/deliveries${queryText(query)}`]);
  expect(reply.status, reply.text).toBe(200);
  const page = reply.body as DeliveryPage;
  return { ...page, data: page.data.filter((one) => !isOfOthers(one)) };
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

/** Deletes the webhooks that each rule has created after it, and closes its receivers. */
export function cleanUp(streamer: (context: TestContext) => string): void {
  afterEach(async (context) => {
    const key = streamer(context);
    const own = [...ownObjects()].filter(([one, creator]) => one.startsWith(`${path}/`) && creator === key);
    for (const [one] of own) await send({ method: "DELETE", path: one, key });
    closeReceivers();
  });
}

// Receivers that the server under test delivers to. All have one port: to a server of someone else it is known by one public address.

/** A request that the receiver got. `path`: with its query. */
export type Received = { path: string; headers: IncomingHttpHeaders; body: string; event: Omit<Event, "id"> };

export type Receiver = {
  url: string;
  received: Received[];
  /** What is answered to requests from now on; `after`: not before this resolves. */
  answer: { status: number; headers?: Record<string, string>; body?: string; after?: Promise<void> };
  /** Waits until this many requests have come. */
  have: (count: number) => Promise<Received[]>;
};

type Take = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** By the part of their address that no other has. */
const takers = new Map<string, Take>();
/** A promise: a rule may open several receivers at once. */
let opened: Promise<Server> | null = null;

/** Deliveries of this rule that were not as they must be. */
const failures: unknown[] = [];

/** Values of webhook-id with which the server has told of somebody else's donations. */
const ofOthers = new Set<string>();

/** Whether the event is about a donation that somebody else has recorded meanwhile. */
const isOfOthers = ({ id }: { id: string }): boolean => ofOthers.has(id);

/**
 * Opens a receiver. Every request is checked, its signature by the public library, and headers and body by the contract: the rule fails, also
 * when it does not look at that request. What somebody else has done is passed over.
 */
export async function openReceiver(secretOf: () => string): Promise<Receiver> {
  const name = crypto.randomUUID();
  const received: Received[] = [];
  const receiver: Receiver = {
    url: `${await baseAddress()}/${name}`,
    received,
    answer: { status: 200, body: "ok" },
    have: (count) => waitFor(count, received),
  };
  takers.set(name, async (request, response) => {
    const body = await text(request);
    try {
      expect(request.method, body).toBe("POST");
      const one = { path: String(request.url), headers: request.headers, body, event: checked(secretOf(), request.headers, body) };
      if (!(await tellsOfOthers(one))) received.push(one);
    } catch (error) {
      failures.push(error);
    }
    const { status, headers, body: answered = "", after } = receiver.answer;
    await after;
    response.writeHead(status, headers).end(answered);
  });
  return receiver;
}

/** Closes all receivers. Throws what was wrong with a delivery to one of them. */
function closeReceivers(): void {
  takers.clear();
  ofOthers.clear();
  void opened?.then((server) => server.close().closeAllConnections());
  opened = null;
  const [failure] = failures.splice(0);
  if (failure) throw failure;
}

/** The address that the server knows the port by. Ends the rule as "not run" where there is none. */
async function baseAddress(): Promise<string> {
  const { foreign, receiver } = target();
  if (foreign && receiver === null) endAsNotRun("needs a receiver that the server can deliver to: --receiver-url");
  opened ??= listen(receiver?.port ?? 0, receiver === null ? "127.0.0.1" : undefined);
  const { port } = (await opened).address() as AddressInfo;
  return receiver?.url ?? `http://127.0.0.1:${port}`;
}

async function listen(port: number, host: string | undefined): Promise<Server> {
  const server = createServer(async (request, response) => {
    const [, take] = [...takers].find(([name]) => request.url?.includes(name)) ?? [];
    await (take ? take(request, response) : void response.writeHead(404).end());
  });
  server.listen(port, host);
  await once(server, "listening");
  return server;
}

async function waitFor(count: number, received: Received[]): Promise<Received[]> {
  for (const deadline = Date.now() + stateLimitMs; Date.now() < deadline; await sleep(10)) {
    if (failures.length > 0) throw failures[0];
    if (received.length >= count) return received;
  }
  throw new Error(`${count} deliveries did not come, only ${received.length}`);
}

function checked(secret: string, headers: IncomingHttpHeaders, body: string): Omit<Event, "id"> {
  const event = new Verifier(secret).verify(body, headers as Record<string, string>) as Omit<Event, "id">;
  expect(deliveryFaults(headers, event), body).toEqual([]);
  return event;
}

/** A streamer of a server of someone else goes on receiving donations; the donation of an example is on no server. */
async function tellsOfOthers({ headers, event: { data } }: Received): Promise<boolean> {
  const { id, donationId = id } = data as { id?: string; donationId?: string };
  if (!target().foreign || donationId === undefined || (await isRecordedHere(donationId))) return false;
  const isOthers = (await get(donationId)).status === 200;
  if (isOthers) ofOthers.add(String(headers["webhook-id"]));
  return isOthers;
}

// Requests that the server sends, as `webhooks` of the contract describes them.

type DescribedWebhook = { post: { parameters: Parameter[]; requestBody: { content: Record<string, { schema: Schema }> } } };

const webhooks = contract.webhooks as Record<string, DescribedWebhook>;

/** The types of events that the contract describes as requests. */
export const deliveredTypes = Object.keys(webhooks);

/** What the contract does not say of a delivery, in words; none when it is as described. `event`: its body. */
export function deliveryFaults(headers: IncomingHttpHeaders, event: { type: string }): string[] {
  const found = webhooks[event.type];
  if (!found) return [`the contract has no webhook ${event.type}`];
  const pointer = `#/webhooks/${token(event.type)}/post`;
  const [media = ""] = Object.keys(found.post.requestBody.content);
  return [
    ...(headers["content-type"] === media ? [] : [`content type ${headers["content-type"]} is not documented`]),
    ...found.post.parameters.flatMap((parameter, index) => headerFaults(`${pointer}/parameters/${index}/schema`, parameter, headers)),
    ...sealed(`${pointer}/requestBody/content/${token(media)}/schema`, event),
  ];
}

function headerFaults(pointer: string, { name, required }: Parameter, headers: IncomingHttpHeaders): string[] {
  const value = headers[name];
  if (value === undefined) return required ? [`no header ${name}`] : [];
  return sealed(pointer, value).map((fault) => `header ${name}: ${fault}`);
}
