import { expect, test } from "vitest";

import { create as donate, expectProblem, recorded } from "../../suite/client/api.ts";
import { call, cleanUp, created, openReceiver, ownStreamer, type Receiver, type Webhook } from "../../suite/client/events/webhooks.ts";
import { donation } from "../../suite/values/donations.ts";

const streamer = ownStreamer();
cleanUp(streamer);

/** A webhook for recorded donations, and its receiver. */
async function subscribe(key: string): Promise<{ receiver: Receiver; webhook: Webhook }> {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(key, { url: receiver.url, types: ["donation.created"] });
  ({ secret } = webhook);
  return { receiver, webhook };
}

test("a deleted webhook is gone with its deliveries, and gets nothing any more", async (context) => {
  const { receiver, webhook } = await subscribe(streamer(context));
  const reply = await call(streamer(context), ["DELETE", `/${webhook.id}`]);
  expect([reply.status, reply.text]).toEqual([204, ""]);
  for (const below of ["", "/deliveries"])
    expectProblem(await call(streamer(context), ["GET", `/${webhook.id}${below}`]), 404, "webhook_not_found");
  const other = await subscribe(streamer(context));
  // What the server would send to the deleted one with the first donation it has sent when another has got the second.
  for (const count of [1, 2]) {
    recorded(await donate(donation(), { key: streamer(context) }));
    await other.receiver.have(count);
  }
  expect(receiver.received).toEqual([]);
});
