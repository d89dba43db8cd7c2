import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";

import { create as donate, recorded } from "../../harness/client/api.ts";
import {
  cleanUp,
  created,
  type Delivery,
  find,
  openReceiver,
  ownStreamer,
  plannedWaitMs,
  type Receiver,
  settled,
  type Webhook,
} from "../../harness/events/webhooks.ts";
import { donation } from "../../harness/generators/donations.ts";

// What follows an attempt that failed.

const streamer = ownStreamer();
cleanUp(streamer);

type SetUp = { receiver: Receiver; webhook: Webhook; record: () => Promise<string> };

/** A webhook for recorded donations whose receiver answers with this. `record` resolves to the id of a recorded donation. */
async function setUp(key: string, answer: Receiver["answer"]): Promise<SetUp> {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(key, { url: receiver.url, types: ["donation.created"] });
  ({ secret } = webhook);
  receiver.answer = answer;
  return { receiver, webhook, record: async () => recorded(await donate(donation(), { key })).id };
}

const broken = { status: 500, body: "broken" };
const fine = { status: 200, body: "ok" };
const idsOf = ({ received }: Receiver): string[] => received.map(({ headers }) => String(headers["webhook-id"]));

test("a delivery that failed is repeated after about 5 seconds, with the same webhook-id and body, and a new timestamp", async (context) => {
  const { receiver, webhook, record } = await setUp(streamer(context), broken);
  const id = await record();
  const [delivery] = await settled(streamer(context), webhook.id, { status: "retrying", count: 1 });
  receiver.answer = fine;
  await settled(streamer(context), webhook.id, { status: "succeeded", count: 1 });
  const [first, second] = receiver.received;
  expect(idsOf(receiver)).toEqual([id, id]);
  expect(second?.body).toBe(first?.body);
  const waited = Number(second?.headers["webhook-timestamp"]) - Number(first?.headers["webhook-timestamp"]);
  expect(waited).toBeGreaterThanOrEqual(4); // at most as long as planned, and as the machine needs
  expect(plannedWaitMs(delivery as Delivery)).toBeLessThan(7_000);
});

test("events after one that failed arrive in the order in which they happened, and do not wait for it", async (context) => {
  const { receiver, webhook, record } = await setUp(streamer(context), broken);
  const failed = await record();
  await settled(streamer(context), webhook.id, { status: "retrying", count: 1 });
  const held = Promise.withResolvers<void>();
  receiver.answer = { ...broken, after: held.promise }; // what happens meanwhile is sent together
  await record();
  await receiver.have(2);
  receiver.answer = fine;
  const ids: string[] = [];
  for (let i = 0; i < 12; i += 1) ids.push(await record());
  held.resolve();
  const arrived = () => idsOf(receiver).filter((id) => ids.includes(id));
  await expect.poll(arrived).toHaveLength(ids.length);
  expect(arrived()).toEqual(ids);
  expect(idsOf(receiver)[0]).toBe(failed);
});

test("an endpoint that answers 410 is disabled with the reason gone, and gets nothing any more", async (context) => {
  const { receiver, webhook, record } = await setUp(streamer(context), { status: 410 });
  const id = await record();
  await settled(streamer(context), webhook.id, { status: "failed", count: 1 });
  expect(await find(streamer(context), webhook.id)).toMatchObject({ enabled: false, disabledReason: "gone" });
  await record();
  await sleep(1_500);
  expect(idsOf(receiver)).toEqual([id]);
});

test("an answer with Retry-After: 60 holds the delivery back for so long, and what follows it as well", async (context) => {
  const { receiver, webhook, record } = await setUp(streamer(context), { status: 503, headers: { "Retry-After": "60" } });
  const id = await record();
  const [delivery] = await settled(streamer(context), webhook.id, { status: "retrying", count: 1 });
  const wait = plannedWaitMs(delivery as Delivery);
  expect(wait).toBeGreaterThanOrEqual(60_000);
  expect(wait).toBeLessThan(62_000);
  receiver.answer = fine;
  await record();
  await sleep(1_500);
  expect(idsOf(receiver)).toEqual([id]);
});

test("a redirect is a failed attempt: it is not followed", async (context) => {
  const target = await setUp(streamer(context), fine);
  const { receiver, webhook, record } = await setUp(streamer(context), {
    status: 307,
    headers: { Location: `${target.receiver.url}/next` },
  });
  const id = await record();
  const [delivery] = await settled(streamer(context), webhook.id, { status: "retrying", count: 1 });
  expect(delivery?.attempts[0]).toMatchObject({ status: 307, error: "Answered 307. Redirects are not followed." });
  await sleep(300);
  expect([idsOf(receiver), idsOf(target.receiver)]).toEqual([[id], [id]]); // the target gets it once, as a webhook of its own
});
