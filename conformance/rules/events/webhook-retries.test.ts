import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";

import { create as donate, recorded } from "../../suite/client/api.ts";
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
} from "../../suite/client/events/webhooks.ts";
import { passTime } from "../../suite/servers/database.ts";
import { donation } from "../../suite/values/donations.ts";

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

/** Waits until a new webhook has got two donations, one after the other: what the server sends elsewhere meanwhile it has sent by then. */
async function othersAreTold(key: string): Promise<void> {
  const { receiver, record } = await setUp(key, fine);
  for (const count of [1, 2]) {
    await record();
    await receiver.have(count);
  }
}

const broken = { status: 500, body: "broken" };
const fine = { status: 200, body: "ok" };
/** Ids of the donations that it was told of. */
const idsOf = ({ received }: Receiver): string[] => received.map(({ event }) => (event.data as { id: string }).id);

test("a delivery that failed is repeated after about 5 seconds, with the same webhook-id and body, and a new timestamp", async (context) => {
  const { receiver, webhook, record } = await setUp(streamer(context), broken);
  const id = await record();
  const [delivery] = await settled(streamer(context), webhook.id, { status: "retrying", count: 1 });
  const { failingSince } = await find(streamer(context), webhook.id);
  expect(Date.parse(failingSince ?? "")).toBeGreaterThanOrEqual(Date.parse(delivery?.attempts[0]?.at ?? ""));
  expect(Date.parse(failingSince ?? "")).toBeLessThan(Date.parse(delivery?.nextAttemptAt ?? ""));
  receiver.answer = fine;
  await settled(streamer(context), webhook.id, { status: "succeeded", count: 1 });
  expect(await find(streamer(context), webhook.id)).toMatchObject({ enabled: true, failingSince: null });
  const [first, second] = receiver.received;
  expect(idsOf(receiver)).toEqual([id, id]);
  expect([second?.headers["webhook-id"], second?.body]).toEqual([first?.headers["webhook-id"], first?.body]);
  const waited = Number(second?.headers["webhook-timestamp"]) - Number(first?.headers["webhook-timestamp"]);
  expect(waited).toBeGreaterThanOrEqual(4); // at most as long as planned, and as the machine needs
  expect(plannedWaitMs(delivery as Delivery)).toBeLessThan(7_000);
});

test("a delivery that failed twice is repeated after about 5 minutes", async (context) => {
  const { webhook, record } = await setUp(streamer(context), broken);
  await record();
  const attempted = async () => (await settled(streamer(context), webhook.id, { status: "retrying", count: 1 }))[0] as Delivery;
  await attempted();
  await passTime(5, "webhook_deliveries");
  await expect.poll(async () => (await attempted()).attempts).toHaveLength(2);
  const wait = plannedWaitMs(await attempted());
  expect(wait).toBeGreaterThan(150_000);
  expect(wait).toBeLessThan(450_000);
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
  await othersAreTold(streamer(context));
  expect(idsOf(receiver)).toEqual([id]);
});

test("an endpoint that answers 404, 400 or 503 stays enabled, and the delivery is repeated", async (context) => {
  const key = streamer(context);
  const answers = [404, 400, 503];
  const setUps = await Promise.all(answers.map(async (status) => ({ status, ...(await setUp(key, { status })) })));
  const ids = [recorded(await donate(donation(), { key })).id];
  for (const { status, webhook, receiver } of setUps) {
    await settled(key, webhook.id, { status: "retrying", count: 1 });
    expect(await find(key, webhook.id), `answered ${status}`).toMatchObject({ enabled: true, disabledReason: null });
    receiver.answer = fine;
  }
  ids.push(recorded(await donate(donation(), { key })).id);
  await passTime(5, "webhook_deliveries");
  for (const { status, webhook, receiver } of setUps) {
    await settled(key, webhook.id, { status: "succeeded", count: 2 });
    expect(new Set(idsOf(receiver)), `answered ${status}`).toEqual(new Set(ids));
  }
});

test.for([
  { form: "60", after: (): string => "60" },
  { form: "a date a minute ahead", after: (): string => new Date(Date.now() + 61_000).toUTCString() },
])("an answer with Retry-After: $form holds the delivery back for so long, and what follows it as well", async ({ after }, context) => {
  const begun = Date.now();
  const { receiver, webhook, record } = await setUp(streamer(context), { status: 503, headers: { "Retry-After": after() } });
  const id = await record();
  const [delivery] = await settled(streamer(context), webhook.id, { status: "retrying", count: 1 });
  // A date is nearer when the delivery comes late, so both are measured from the beginning.
  expect(Date.parse(delivery?.nextAttemptAt ?? "") - begun).toBeGreaterThanOrEqual(59_000);
  expect(plannedWaitMs(delivery as Delivery)).toBeLessThan(90_000);
  receiver.answer = fine;
  await record();
  await othersAreTold(streamer(context));
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
  expect(delivery?.attempts[0]).toMatchObject({ status: 307, error: expect.any(String) });
  await sleep(300);
  expect([idsOf(receiver), idsOf(target.receiver)]).toEqual([[id], [id]]); // the target gets it once, as a webhook of its own
});
