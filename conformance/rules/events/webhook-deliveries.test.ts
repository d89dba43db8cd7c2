import { setTimeout as sleep } from "node:timers/promises";
import { Webhook as Verifier } from "standardwebhooks";
import { expect, test } from "vitest";

import { create as donate, recorded } from "../../suite/client/api.ts";
import {
  call,
  cleanUp,
  created,
  dataOf,
  deliveredTypes,
  deliveryFaults,
  freshApplication,
  openReceiver,
  ownStreamer,
  type Received,
} from "../../suite/client/events/webhooks.ts";
import { addKey, revokeKey } from "../../suite/client/operator.ts";
import { freshQueue } from "../../suite/client/overlay/alert-controls.ts";
import { eventTypes } from "../../suite/contract/contract.ts";
import { donation } from "../../suite/values/donations.ts";
import { operatorOf } from "../../suite/values/target.ts";

// What every delivery is. Each receiver of the suite checks every request that it gets in the same way.

const streamer = ownStreamer();
cleanUp(streamer);

test("the contract describes the delivery of each type of event under webhooks", () =>
  expect(deliveredTypes.toSorted()).toEqual(eventTypes.toSorted()));

test("a delivery has the headers and the body that the contract describes for its type, and no member more", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(streamer(context), { url: receiver.url });
  ({ secret } = webhook);
  for (const type of eventTypes) dataOf(await call(streamer(context), ["POST", `/${webhook.id}/test`], { type }));
  recorded(await donate(donation(), { key: streamer(context) }));
  const received = await receiver.have(eventTypes.length + 1);
  for (const { headers, event } of received) expect(deliveryFaults(headers, event), event.type).toEqual([]);
  expect(new Set(received.map(({ event }) => event.type))).toEqual(new Set(eventTypes));
});

test("the signature covers webhook-id, webhook-timestamp and every byte of the body", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(streamer(context), { url: receiver.url });
  ({ secret } = webhook);
  dataOf(await call(streamer(context), ["POST", `/${webhook.id}/test`], {}));
  const [delivery] = await receiver.have(1);
  const verifier = new Verifier(secret);
  const headers = delivery?.headers as Record<string, string>;
  const body = delivery?.body ?? "";
  expect(() => verifier.verify(body, headers)).not.toThrow();
  const later = String(Number(headers["webhook-timestamp"]) + 1);
  for (const [changed, others] of [
    [body, { "webhook-id": webhook.id }],
    [body, { "webhook-timestamp": later }],
    [`${body} `, {}],
  ] as const)
    expect(() => verifier.verify(changed, { ...headers, ...others })).toThrow();
});

test("a webhook gets no type of event any more that no credential of its application may read", async (context) => {
  const operator = operatorOf(context);
  const application = freshApplication();
  const keyWith = (scopes: string) => addKey(operator, operator.handle, scopes, application);
  const [wide, narrow] = [await keyWith("write:webhooks read:donations read:alerts"), await keyWith("write:webhooks read:alerts")];
  let secret = "";
  const receiver = await openReceiver(() => secret);
  await freshQueue(); // alerts of earlier rules are skipped before the webhook could tell of them
  const webhook = await created(wide, { url: receiver.url, types: ["donation.created", "alert.skipped"] });
  ({ secret } = webhook);
  const typesOf = (received: readonly Received[]) => received.map(({ event }) => event.type);
  /** Two events, one after the other. */
  const happen = async () => {
    await freshQueue();
    recorded(await donate(donation({ skipAlert: false })));
    await freshQueue();
  };
  await happen();
  expect(typesOf(await receiver.have(2))).toEqual(["donation.created", "alert.skipped"]);
  await revokeKey(operator, wide);
  await expect.poll(async () => (await call(wide, ["GET", ""])).status).toBe(401);
  await sleep(1_000); // every process knows of it now
  await happen();
  expect(typesOf(await receiver.have(3))).toEqual(["donation.created", "alert.skipped", "alert.skipped"]);
  expect((await call(narrow, ["DELETE", `/${webhook.id}`])).status).toBe(204);
});
