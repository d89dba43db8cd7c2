import { setTimeout as sleep } from "node:timers/promises";
import { Webhook as Verifier } from "standardwebhooks";
import { expect, test } from "vitest";
import { create as donate, expectNow, expectProblem, recorded, takeBack } from "../../suite/client/api.ts";
import { listAllEvents } from "../../suite/client/events/event-stream.ts";
import {
  call,
  cleanUp,
  created,
  type Delivery,
  dataOf,
  deliveredTypes,
  deliveriesOf,
  deliveryFaults,
  freshApplication,
  idsOfNothing,
  openReceiver,
  ownStreamer,
  plannedWaitMs,
  type Received,
  settled,
} from "../../suite/client/events/webhooks.ts";
import { importAll, outcomesOf } from "../../suite/client/imports.ts";
import { addKey, revokeKey } from "../../suite/client/operator.ts";
import { control, freshQueue } from "../../suite/client/overlay/alert-controls.ts";
import { eventTypes, operation } from "../../suite/contract/contract.ts";
import { donation, freshKey } from "../../suite/values/donations.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

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
      expectNow(delivery.attempts[0]?.at ?? null, { headers: { date: delivery.timestamp } });
    }
    cursor = page.pagination.nextCursor;
    expect(page.pagination.hasMore).toBe(cursor !== null);
  }
  expect(times).toEqual(sent.toReversed());
  const { schema } = operation("listWebhookDeliveries").parameters.find(({ name }) => name === "limit") ?? {};
  expect((await deliveriesOf(streamer(context), webhook.id)).pagination.limit, "without a limit").toBe(schema?.default);
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
  const idsWith = async (...status: string[]) => (await deliveriesOf(streamer(context), webhook.id, { status })).data.map(({ id }) => id);
  expect([await idsWith("succeeded", "failed"), await idsWith("succeeded", "retrying")]).toEqual([[], [delivery?.id]]);
});

test("a long answer of a receiver is listed by its first kilobyte", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(streamer(context), { url: receiver.url, types: ["donation.created"] });
  ({ secret } = webhook);
  const body = Array.from({ length: 800 }, (_, index) => index).join(" ");
  receiver.answer = { status: 200, body };
  recorded(await donate(donation(), { key: streamer(context) }));
  const [delivery] = await settled(streamer(context), webhook.id, { status: "succeeded", count: 1 });
  const answer = delivery?.attempts[0]?.answer ?? "";
  expect([1_000, 1_024], "a kilobyte, decimal or binary").toContain(answer.length);
  expect(answer).toBe(body.slice(0, answer.length));
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

test("a delivery is sent again with the same webhook-id and the same body", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(streamer(context), { url: receiver.url, types: ["donation.created"] });
  ({ secret } = webhook);
  recorded(await donate(donation(), { key: streamer(context) }));
  const [delivery] = await settled(streamer(context), webhook.id, { status: "succeeded", count: 1 });
  const reply = await call(streamer(context), ["POST", `/${webhook.id}/deliveries/${delivery?.id}/redeliver`]);
  expect(dataOf(reply, 202)).toMatchObject({
    id: delivery?.id,
    type: "donation.created",
    timestamp: delivery?.timestamp,
    status: "retrying",
  });
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
  const inBangkok = new Date(Date.parse(since) + 7 * 3_600_000).toISOString().replace("Z", "+07:00");
  const reply = await call(streamer(context), ["POST", `/${webhook.id}/recover`], { since: inBangkok });
  // A streamer of someone else may have got others meanwhile.
  expect(dataOf(reply, 202)).toEqual({ count: target().foreign ? expect.any(Number) : expected.length });
  await settled(streamer(context), webhook.id, { status: "succeeded", count: expected.length + 1 });
  const received = await receiver.have(expected.length + 1);
  const ids = received.map(({ event }) => (event.data as { id: string }).id);
  expect(ids.toSorted()).toEqual([arrived, ...expected.map(({ id }) => id)].toSorted());
});

test("recovery sends each type of event from the instant on, and with withImported=false those of an imported donation's alert alone", async (context) => {
  operatorOf(context); // it recovers whatever its streamer has got in the meantime
  const key = streamer(context);
  const types = ["donation.created", "donation.voided", "alert.skipped"];
  await control("clear", { key });
  const [imported] = outcomesOf(await importAll("JSON", [donation({ idempotencyKey: freshKey(), skipAlert: false })], { key }));
  await control("clear", { key });
  await takeBack(recorded(await donate(donation(), { key })), "mistake", { key });
  const told = await listAllEvents({ types, withImported: "false" }, { key });
  const first = told.findLastIndex(({ data }) => (data as { donationId?: string }).donationId === imported?.donationId);
  expect(told[first]?.type).toBe("alert.skipped");
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(key, { url: receiver.url, types, withImported: false });
  ({ secret } = webhook);
  for (const place of [told.length - 1, first]) {
    const since = told[place]?.timestamp ?? "";
    const expected = told.filter(({ timestamp }) => timestamp >= since).map(({ id }) => id);
    expect((await call(key, ["POST", `/${webhook.id}/recover`], { since })).status).toBe(202);
    const arrived = await settled(key, webhook.id, { status: "succeeded", count: expected.length });
    expect(arrived.map(({ id }) => id).toSorted()).toEqual(expected.toSorted());
  }
});

test("recoverWebhook refuses a disabled webhook with webhook_disabled", async (context) => {
  const { id } = await created(streamer(context), { url: "https://hooks.test/a" });
  await call(streamer(context), ["PATCH", `/${id}`], { enabled: false });
  expectProblem(await call(streamer(context), ["POST", `/${id}/recover`], { since: "2026-11-01T00:00Z" }), 409, "webhook_disabled");
});

test.for(idsOfNothing)("recoverWebhook refuses the id %s, which names no webhook, with webhook_not_found", async (id, context) =>
  expectProblem(await call(streamer(context), ["POST", `/${id}/recover`], { since: "2026-11-01T00:00Z" }), 404, "webhook_not_found"),
);
