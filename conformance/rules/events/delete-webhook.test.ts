import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";

import { create as donate, expectProblem, recorded } from "../../suite/client/api.ts";
import { call, cleanUp, created, openReceiver, ownStreamer } from "../../suite/client/events/webhooks.ts";
import { donation } from "../../suite/values/donations.ts";

const streamer = ownStreamer();
cleanUp(streamer);

test("a deleted webhook is gone with its deliveries, and gets nothing any more", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(streamer(context), { url: receiver.url, types: ["donation.created"] });
  ({ secret } = webhook);
  const reply = await call(streamer(context), ["DELETE", `/${webhook.id}`]);
  expect([reply.status, reply.text]).toEqual([204, ""]);
  for (const below of ["", "/deliveries"])
    expectProblem(await call(streamer(context), ["GET", `/${webhook.id}${below}`]), 404, "webhook_not_found");
  recorded(await donate(donation(), { key: streamer(context) }));
  await sleep(1_500);
  expect(receiver.received).toEqual([]);
});
