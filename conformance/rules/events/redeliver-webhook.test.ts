import { expect, test } from "vitest";

import { create as donate, expectProblem, recorded } from "../../suite/client/api.ts";
import { call, cleanUp, created, dataOf, idsOfNothing, openReceiver, ownStreamer, settled } from "../../suite/client/events/webhooks.ts";
import { donation } from "../../suite/values/donations.ts";

const streamer = ownStreamer();
cleanUp(streamer);

test("a delivery is sent again with the same webhook-id and the same body", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(streamer(context), { url: receiver.url, types: ["donation.created"] });
  ({ secret } = webhook);
  recorded(await donate(donation(), { key: streamer(context) }));
  const [delivery] = await settled(streamer(context), webhook.id, { status: "succeeded", count: 1 });
  const reply = await call(streamer(context), ["POST", `/${webhook.id}/deliveries/${delivery?.id}/redeliver`]);
  expect(dataOf(reply, 202)).toMatchObject({ id: delivery?.id, status: "retrying" });
  const [first, second] = await receiver.have(2);
  expect([second?.headers["webhook-id"], second?.body]).toEqual([first?.headers["webhook-id"], first?.body]);
});

test("redeliverWebhook refuses a disabled webhook with webhook_disabled", async (context) => {
  const { id } = await created(streamer(context), { url: "https://hooks.test/a" });
  await call(streamer(context), ["PATCH", `/${id}`], { enabled: false });
  expectProblem(await call(streamer(context), ["POST", `/${id}/deliveries/${id}/redeliver`]), 409, "webhook_disabled");
});

test.for(idsOfNothing)("redeliverWebhook refuses the id %s, which names no delivery, with delivery_not_found", async (nothing, context) => {
  const { id } = await created(streamer(context), { url: "https://hooks.test/a" });
  for (const path of [`/${id}/deliveries/${nothing}/redeliver`, `/${nothing}/deliveries/${id}/redeliver`])
    expectProblem(await call(streamer(context), ["POST", path]), 404, "delivery_not_found");
});
