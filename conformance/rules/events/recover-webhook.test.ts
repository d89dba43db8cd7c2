import { expect, test } from "vitest";

import { create as donate, expectProblem, recorded } from "../../suite/client/api.ts";
import { call, cleanUp, created, dataOf, idsOfNothing, openReceiver, ownStreamer, settled } from "../../suite/client/events/webhooks.ts";
import { donation } from "../../suite/values/donations.ts";
import { target } from "../../suite/values/target.ts";

const streamer = ownStreamer();
cleanUp(streamer);

test("what happened before the webhook existed and while it was disabled arrives, each once, from the instant on; what has arrived is not sent again", async (context) => {
  const made: { id: string; receivedAt: string }[] = [];
  const record = async () => void made.push(recorded(await donate(donation(), { key: streamer(context) })));
  for (let count = 0; count < 3; count += 1) await record();
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(streamer(context), { url: receiver.url, types: ["donation.created"] });
  ({ secret } = webhook);
  const change = (enabled: boolean) => call(streamer(context), ["PATCH", `/${webhook.id}`], { enabled });
  await change(false);
  for (let count = 0; count < 3; count += 1) await record();
  await change(true);
  const arrived = recorded(await donate(donation(), { key: streamer(context) })).id;
  await settled(streamer(context), webhook.id, { status: "succeeded", count: 1 });
  const since = made[1]?.receivedAt ?? "";
  const expected = made.filter(({ receivedAt }) => receivedAt >= since);
  const reply = await call(streamer(context), ["POST", `/${webhook.id}/recover`], { since });
  // A streamer of someone else may have got others meanwhile.
  expect(dataOf(reply, 202)).toEqual({ count: target().foreign ? expect.any(Number) : expected.length });
  await settled(streamer(context), webhook.id, { status: "succeeded", count: expected.length + 1 });
  const received = await receiver.have(expected.length + 1);
  const ids = received.map(({ event }) => (event.data as { id: string }).id);
  expect(ids.toSorted()).toEqual([arrived, ...expected.map(({ id }) => id)].toSorted());
});

test("recoverWebhook refuses a disabled webhook with webhook_disabled", async (context) => {
  const { id } = await created(streamer(context), { url: "https://hooks.test/a" });
  await call(streamer(context), ["PATCH", `/${id}`], { enabled: false });
  expectProblem(await call(streamer(context), ["POST", `/${id}/recover`], { since: "2026-11-01T00:00Z" }), 409, "webhook_disabled");
});

test.for(idsOfNothing)("recoverWebhook refuses the id %s, which names no webhook, with webhook_not_found", async (id, context) =>
  expectProblem(await call(streamer(context), ["POST", `/${id}/recover`], { since: "2026-11-01T00:00Z" }), 404, "webhook_not_found"),
);
