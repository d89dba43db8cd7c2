import { Webhook as Verifier } from "standardwebhooks";
import { expect, test } from "vitest";
import type { components } from "../../../generated/api.d.ts";
import { create as donate, expectNow, expectProblem, recorded } from "../../suite/client/api.ts";
import {
  call,
  cleanUp,
  created,
  dataOf,
  deliveriesOf,
  find,
  freshApplication,
  idsOfNothing,
  openReceiver,
  ownStreamer,
  type Webhook,
  type WebhookWithSecret,
} from "../../suite/client/events/webhooks.ts";
import { addKey } from "../../suite/client/operator.ts";
import { eventTypes } from "../../suite/contract/contract.ts";
import { donation } from "../../suite/values/donations.ts";
import { operatorOf } from "../../suite/values/target.ts";

type WebhookTested = components["schemas"]["WebhookTested"];

const streamer = ownStreamer();
cleanUp(streamer);
const url = "https://hooks.test/a";

test("members that are sent change, and the others keep their values", async (context) => {
  const { secret: _, ...before } = await created(streamer(context), { url, types: ["donation.created"], description: "before" });
  const changes = [{ description: "after" }, { types: ["alert.shown", "goal.reached"] }, { url: `${url}b` }, { enabled: false }];
  let expected: Webhook = before;
  for (const change of changes) {
    expected = { ...expected, ...change, disabledReason: "enabled" in change ? "requested" : null } as Webhook;
    expect(dataOf(await call(streamer(context), ["PATCH", `/${before.id}`], change))).toEqual(expected);
  }
  expect(await find(streamer(context), before.id)).toEqual(expected);
});

test("a disabled webhook gets nothing, and goes on with what happens after it is enabled", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(streamer(context), { url: receiver.url, types: ["donation.created"] });
  ({ secret } = webhook);
  await call(streamer(context), ["PATCH", `/${webhook.id}`], { enabled: false });
  recorded(await donate(donation(), { key: streamer(context) }));
  expect(dataOf(await call(streamer(context), ["PATCH", `/${webhook.id}`], { enabled: true }))).toMatchObject({ enabled: true });
  const { id } = recorded(await donate(donation(), { key: streamer(context) }));
  const received = await receiver.have(1);
  expect(received.map(({ event }) => (event.data as { id: string }).id)).toEqual([id]);
});

test("events go to the new url as soon as it has changed", async (context) => {
  let secret = "";
  const [before, after] = [await openReceiver(() => secret), await openReceiver(() => secret)];
  const webhook = await created(streamer(context), { url: before.url, types: ["donation.created"] });
  ({ secret } = webhook);
  const record = async () => recorded(await donate(donation(), { key: streamer(context) })).id;
  const idsOf = async (receiver: typeof before) => (await receiver.have(1)).map(({ event }) => (event.data as { id: string }).id);
  const first = await record();
  expect(await idsOf(before)).toEqual([first]);
  dataOf(await call(streamer(context), ["PATCH", `/${webhook.id}`], { url: after.url }));
  const second = await record();
  expect([await idsOf(after), await idsOf(before)]).toEqual([[second], [first]]);
});

test("types that the scopes do not allow are refused, and the webhook keeps its own: insufficient_scope", async (context) => {
  const operator = operatorOf(context);
  const key = await addKey(operator, operator.handle, "write:webhooks read:alerts", freshApplication());
  const { id } = await created(key, { url, types: ["alert.shown"] });
  for (const types of [["donation.created"], ["alert.shown", "donation.erased"]])
    expectProblem(await call(key, ["PATCH", `/${id}`], { types, description: "no" }), 403, "insufficient_scope");
  expect(await find(key, id)).toMatchObject({ types: ["alert.shown"], description: "" });
  expect((await call(key, ["DELETE", `/${id}`])).status).toBe(204);
});

test.for([{ types: ["donation.unknown"] }, { unknown: 1 }, { withImported: "no" }])(
  "a change of a webhook that breaks a rule of its body is refused and changes nothing: %j",
  async (fault, context) => {
    const { secret: _, ...before } = await created(streamer(context), { url, description: "before" });
    const changes = { url: `${url}b`, description: "after", enabled: false };
    expect((await call(streamer(context), ["PATCH", `/${before.id}`], { ...changes, ...fault })).status).toBe(400);
    expect(await find(streamer(context), before.id)).toEqual(before);
  },
);

test("a url that nothing may be sent to is refused, and the webhook keeps its own", async (context) => {
  const { id } = await created(streamer(context), { url });
  for (const host of ["192.168.0.1", "172.31.255.255", "100.64.0.1", "[fe80::1]", "hooks.test:22"])
    expectProblem(await call(streamer(context), ["PATCH", `/${id}`], { url: `https://${host}` }), 422, "webhook_url_refused");
  expect((await find(streamer(context), id)).url).toBe(url);
});

test.for(idsOfNothing)("updateWebhook refuses the id %s, which names no webhook, with webhook_not_found", async (id, context) =>
  expectProblem(await call(streamer(context), ["PATCH", `/${id}`], { enabled: true }), 404, "webhook_not_found"),
);

test("after a rotation both secrets verify a delivery, and the end of the previous one is a day away", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const before = await created(streamer(context), { url: receiver.url, types: ["donation.created"] });
  const after = dataOf<WebhookWithSecret>(await call(streamer(context), ["POST", `/${before.id}/rotate-secret`]));
  ({ secret } = after);
  expect(after.secret).not.toBe(before.secret);
  expect(after).toEqual({ ...before, secret, previousSecretUntil: after.previousSecretUntil });
  const left = Date.parse(after.previousSecretUntil ?? "") - Date.now();
  expect(left).toBeGreaterThan(23.9 * 3_600_000);
  expect(left).toBeLessThan(24.1 * 3_600_000);
  expect((await find(streamer(context), before.id)).previousSecretUntil).toBe(after.previousSecretUntil);
  recorded(await donate(donation(), { key: streamer(context) }));
  const [first] = await receiver.have(1);
  expect(String(first?.headers["webhook-signature"]).split(" ")).toHaveLength(2);
  expect(new Verifier(before.secret).verify(first?.body ?? "", first?.headers as Record<string, string>)).toEqual(first?.event);
});

test("after each further rotation the two newest secrets verify a delivery, and no older one does", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(streamer(context), { url: receiver.url, types: ["donation.created"] });
  const secrets = [webhook.secret];
  for (let rotation = 0; rotation < 3; rotation += 1)
    secrets.unshift(dataOf<WebhookWithSecret>(await call(streamer(context), ["POST", `/${webhook.id}/rotate-secret`])).secret);
  [secret = ""] = secrets;
  recorded(await donate(donation(), { key: streamer(context) }));
  const [first] = await receiver.have(1);
  const verifies = (one: string): boolean => {
    try {
      new Verifier(one).verify(first?.body ?? "", first?.headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };
  expect(secrets.map(verifies)).toEqual([true, true, false, false]);
});

test.for(idsOfNothing)("rotateWebhookSecret refuses the id %s, which names no webhook, with webhook_not_found", async (id, context) =>
  expectProblem(await call(streamer(context), ["POST", `/${id}/rotate-secret`]), 404, "webhook_not_found"),
);

test("an example of every type arrives, signed and as the contract describes it, and is in no list", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(streamer(context), { url: receiver.url });
  ({ secret } = webhook);
  for (const type of eventTypes) {
    const began = performance.now();
    const reply = await call(streamer(context), ["POST", `/${webhook.id}/test`], { type });
    const tested = dataOf<WebhookTested>(reply);
    expect(tested).toMatchObject({ type, delivered: true, attempt: { status: 200, answer: "ok", error: null } });
    expectNow(tested.attempt.at, reply);
    expect(tested.attempt.milliseconds).toBeLessThanOrEqual(performance.now() - began + 20); // the server's clock and this one may run a little apart
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
