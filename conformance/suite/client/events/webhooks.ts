// Webhooks, as rules create and read them.

import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, type TestContext } from "vitest";

import type { components } from "../../../../generated/api.d.ts";
import type { Reply } from "../../contract/http-request.ts";
import { endAsNotRun } from "../../values/running.ts";
import { keyOf, target } from "../../values/target.ts";
import { stateLimitMs } from "../../values/time-limits.ts";
import { type Query, queryText } from "../api.ts";
import { send } from "../http-client.ts";
import { newStreamer } from "../operator.ts";
import { ownObjects } from "../protection/own.ts";
import { closeReceivers, isOfOthers } from "./receiver.ts";

export { openReceiver, type Received, type Receiver } from "./receiver.ts";

export type Webhook = components["schemas"]["Webhook"];
export type WebhookWithSecret = components["schemas"]["WebhookWithSecret"];
export type Delivery = components["schemas"]["WebhookDelivery"];
export type DeliveryPage = components["schemas"]["WebhookDeliveryPage"];

const unknownId = "01932f6e-8a00-7000-8000-3f1e5a7c9b21";

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
  if (!target().foreign || reply.status !== 409) return reply;
  const others = dataOf<Webhook[]>(await call(key, ["GET", ""])).filter(({ id }) => !ownObjects().has(`${path}/${id}`));
  return others.length > 0 ? endAsNotRun("the streamer has no room for another webhook") : reply;
}

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
