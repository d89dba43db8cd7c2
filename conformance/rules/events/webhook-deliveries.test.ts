import { Webhook as Verifier } from "standardwebhooks";
import { expect, test } from "vitest";

import { create as donate, recorded } from "../../harness/client/api.ts";
import { call, cleanUp, created, dataOf, openReceiver, ownStreamer } from "../../harness/events/webhooks.ts";
import { donation } from "../../harness/generators/donations.ts";
import { eventTypes } from "../../harness/oracle/contract.ts";
import { deliveredTypes, deliveryFaults } from "../../harness/oracle/deliveries.ts";

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
