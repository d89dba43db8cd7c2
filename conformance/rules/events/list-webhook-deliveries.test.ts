import { expect, test } from "vitest";

import { create as donate, expectProblem, recorded } from "../../suite/client/api.ts";
import {
  call,
  cleanUp,
  created,
  type Delivery,
  deliveriesOf,
  idsOfNothing,
  openReceiver,
  ownStreamer,
  plannedWaitMs,
  settled,
} from "../../suite/client/events/webhooks.ts";
import { donation } from "../../suite/values/donations.ts";

const streamer = ownStreamer();
cleanUp(streamer);

test("deliveries are listed page by page, the latest event first, with the answer of each attempt", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(streamer(context), { url: receiver.url, types: ["donation.created"] });
  ({ secret } = webhook);
  const sent: string[] = [];
  for (let count = 0; count < 5; count += 1) sent.push(recorded(await donate(donation(), { key: streamer(context) })).receivedAt);
  await settled(streamer(context), webhook.id, { status: "succeeded", count: 5 });
  const times: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page = await deliveriesOf(streamer(context), webhook.id, { limit: 2, ...(cursor ? { cursor } : {}) });
    for (const delivery of page.data) {
      expect(delivery).toMatchObject({ type: "donation.created", status: "succeeded", nextAttemptAt: null });
      expect(delivery.attempts).toEqual([expect.objectContaining({ status: 200, answer: "ok", error: null })]);
      times.push(delivery.timestamp);
    }
    cursor = page.pagination.nextCursor;
  }
  expect(times).toEqual(sent.toReversed());
});

test("a failed attempt is listed as retrying, with its answer and the time of the next attempt", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(streamer(context), { url: receiver.url, types: ["donation.created"] });
  ({ secret } = webhook);
  receiver.answer = { status: 500, body: "broken" };
  recorded(await donate(donation(), { key: streamer(context) }));
  const [delivery] = await settled(streamer(context), webhook.id, { status: "retrying", count: 1 });
  expect(delivery?.attempts[0]).toMatchObject({ status: 500, answer: "broken", error: expect.any(String) });
  const wait = plannedWaitMs(delivery as Delivery);
  expect(wait).toBeGreaterThan(4_000);
  expect(wait).toBeLessThan(7_000);
  expect((await deliveriesOf(streamer(context), webhook.id, { status: ["succeeded", "failed"] })).data).toEqual([]);
});

test("a cursor is good for its webhook and its filter alone: invalid_cursor", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const [one, other] = [
    await created(streamer(context), { url: receiver.url, types: ["donation.created"] }),
    await created(streamer(context), { url: "https://hooks.test/b", types: ["goal.reached"] }),
  ];
  ({ secret } = one);
  for (let count = 0; count < 2; count += 1) recorded(await donate(donation(), { key: streamer(context) }));
  await settled(streamer(context), one.id, { status: "succeeded", count: 2 });
  const first = await deliveriesOf(streamer(context), one.id, { limit: 1, status: "succeeded" });
  const cursor = first.pagination.nextCursor ?? "";
  const ask = (id: string, query: string) => call(streamer(context), ["GET", `/${id}/deliveries?${query}`]);
  const own = `cursor=${encodeURIComponent(cursor)}`;
  const rest = await deliveriesOf(streamer(context), one.id, { cursor });
  expect([...first.data, ...rest.data]).toHaveLength(2);
  expectProblem(await ask(other.id, own), 400, "invalid_cursor");
  expectProblem(await ask(one.id, `${own}&status=failed`), 400, "invalid_cursor");
  for (const { id } of [one, other]) expectProblem(await ask(id, "cursor=bm90aGluZw"), 400, "invalid_cursor");
});

test.for(idsOfNothing)("listWebhookDeliveries refuses the id %s, which names no webhook, with webhook_not_found", async (id, context) =>
  expectProblem(await call(streamer(context), ["GET", `/${id}/deliveries`]), 404, "webhook_not_found"),
);
