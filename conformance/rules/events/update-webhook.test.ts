import { expect, test } from "vitest";

import { create as donate, expectProblem, recorded } from "../../suite/client/api.ts";
import {
  call,
  cleanUp,
  created,
  dataOf,
  find,
  freshApplication,
  idsOfNothing,
  openReceiver,
  ownStreamer,
  type Webhook,
} from "../../suite/client/events/webhooks.ts";
import { addKey } from "../../suite/client/operator.ts";
import { donation } from "../../suite/values/donations.ts";
import { operatorOf } from "../../suite/values/target.ts";

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

test("a url that nothing may be sent to is refused, and the webhook keeps its own", async (context) => {
  const { id } = await created(streamer(context), { url });
  for (const host of ["192.168.0.1", "172.31.255.255", "100.64.0.1", "[fe80::1]", "hooks.test:22"])
    expectProblem(await call(streamer(context), ["PATCH", `/${id}`], { url: `https://${host}` }), 422, "webhook_url_refused");
  expect((await find(streamer(context), id)).url).toBe(url);
});

test.for(idsOfNothing)("updateWebhook refuses the id %s, which names no webhook, with webhook_not_found", async (id, context) =>
  expectProblem(await call(streamer(context), ["PATCH", `/${id}`], { enabled: true }), 404, "webhook_not_found"),
);
