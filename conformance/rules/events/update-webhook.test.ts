import { expect, test } from "vitest";

import { create as donate, expectProblem, recorded } from "../../harness/client/api.ts";
import {
  call,
  cleanUp,
  created,
  dataOf,
  find,
  idsOfNothing,
  openReceiver,
  ownStreamer,
  type Webhook,
} from "../../harness/events/webhooks.ts";
import { donation } from "../../harness/generators/donations.ts";

const streamer = ownStreamer();
cleanUp(streamer);
const url = "https://hooks.example/a";

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

test("a url that nothing may be sent to is refused, and the webhook keeps its own", async (context) => {
  const { id } = await created(streamer(context), { url });
  expectProblem(await call(streamer(context), ["PATCH", `/${id}`], { url: "https://192.168.0.1" }), 422, "webhook_url_refused");
  expect((await find(streamer(context), id)).url).toBe(url);
});

test.for(idsOfNothing)("the id %s names no webhook: webhook_not_found", async (id, context) =>
  expectProblem(await call(streamer(context), ["PATCH", `/${id}`], { enabled: true }), 404, "webhook_not_found"),
);
