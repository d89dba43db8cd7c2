import { expect, test } from "vitest";

import { expectProblem } from "../../suite/client/api.ts";
import {
  call,
  cleanUp,
  created,
  dataOf,
  deliveriesOf,
  idsOfNothing,
  openReceiver,
  ownStreamer,
} from "../../suite/client/events/webhooks.ts";
import { eventTypes } from "../../suite/contract/contract.ts";

const streamer = ownStreamer();
cleanUp(streamer);

test("an example of every type arrives, signed and as the contract describes it, and is in no list", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(streamer(context), { url: receiver.url });
  ({ secret } = webhook);
  for (const type of eventTypes) {
    const tested = dataOf<{ id: string }>(await call(streamer(context), ["POST", `/${webhook.id}/test`], { type }));
    expect(tested).toMatchObject({ type, delivered: true, attempt: { status: 200, answer: "ok", error: null } });
    const last = (await receiver.have(1)).at(-1);
    expect([last?.event.type, last?.headers["webhook-id"]]).toEqual([type, tested.id]);
  }
  expect((await deliveriesOf(streamer(context), webhook.id)).data).toEqual([]);
});

test("a test answers how the endpoint answered, and follows no redirect", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(streamer(context), { url: receiver.url });
  ({ secret } = webhook);
  receiver.answer = { status: 302, headers: { Location: receiver.url }, body: "x".repeat(3_000) };
  const tested = dataOf(await call(streamer(context), ["POST", `/${webhook.id}/test`], {}));
  expect(tested).toMatchObject({ delivered: false, attempt: { status: 302, answer: "x".repeat(1_024) } });
  expect(receiver.received).toHaveLength(1);
});

test("a test of no type is of the first type that the webhook gets, and a disabled webhook is tested, too", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(streamer(context), { url: receiver.url, types: ["goal.reached", "alert.shown"] });
  ({ secret } = webhook);
  for (const enabled of [true, false]) {
    dataOf(await call(streamer(context), ["PATCH", `/${webhook.id}`], { enabled }));
    expect(dataOf(await call(streamer(context), ["POST", `/${webhook.id}/test`], {}))).toMatchObject({
      type: webhook.types[0],
      delivered: true,
    });
  }
  expect(receiver.received.map(({ event }) => event.type)).toEqual([webhook.types[0], webhook.types[0]]);
});

test.for([
  [201, true],
  [202, true],
  [204, true],
  [299, true],
  [300, false],
  [304, false],
  [400, false],
  [500, false],
] as const)("an answer with the status %i: whether the event arrived is %s", async ([status, delivered], context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(streamer(context), { url: receiver.url });
  ({ secret } = webhook);
  receiver.answer = { status };
  expect(dataOf(await call(streamer(context), ["POST", `/${webhook.id}/test`], {}))).toMatchObject({ delivered, attempt: { status } });
});

test.for(idsOfNothing)("sendTestEvent refuses the id %s, which names no webhook, with webhook_not_found", async (id, context) =>
  expectProblem(await call(streamer(context), ["POST", `/${id}/test`], {}), 404, "webhook_not_found"),
);
