import { expect, test } from "vitest";
import { type Donation, create as donate, expectFaults, expectNow, expectProblem, me, recorded, takeBack } from "../../suite/client/api.ts";
import { listAllEvents } from "../../suite/client/events/event-stream.ts";
import {
  anotherStreamer,
  call,
  cleanUp,
  create,
  created,
  dataOf,
  find,
  freshApplication,
  openReceiver,
  ownStreamer,
  type Received,
  type Receiver,
  type Webhook,
  type WebhookWithSecret,
} from "../../suite/client/events/webhooks.ts";
import { importAll, outcomesOf } from "../../suite/client/imports.ts";
import { clientOf, needsClients, newGrant } from "../../suite/client/oauth/oauth-client.ts";
import { addKey } from "../../suite/client/operator.ts";
import { eventTypes } from "../../suite/contract/contract.ts";
import { donation, freshKey } from "../../suite/values/donations.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

const streamer = ownStreamer();
cleanUp(streamer);
const url = "https://hooks.test/donations";

test("a new webhook has a secret of Standard Webhooks, gets every type of event by default, and is enabled", async (context) => {
  const reply = await create(streamer(context), { url });
  const { data } = reply.body as { data: WebhookWithSecret };
  expect([reply.status, reply.headers.location], reply.text).toEqual([201, `/api/v1/webhooks/${data.id}`]);
  expect(data).toMatchObject({ url, description: "", enabled: true, disabledReason: null, failingSince: null });
  expectNow(data.createdAt, reply);
  expect(data.types.toSorted()).toEqual(eventTypes.toSorted());
  expect(Buffer.from(data.secret.replace("whsec_", ""), "base64")).toHaveLength(32);
});

test.for([{ types: ["donation.unknown"] }, { unknown: 1 }, { description: null }])(
  "a webhook whose body breaks a rule is refused and not created: %j",
  async (fault, context) => {
    const own = `${url}/${freshKey()}`;
    expect((await create(streamer(context), { url: own, ...fault })).status).toBe(400);
    expect(dataOf<Webhook[]>(await call(streamer(context), ["GET", ""])).filter((one) => one.url === own)).toEqual([]);
  },
);

test("a recorded donation arrives: signed, with the donation as data, and the id of the event as webhook-id", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  ({ secret } = await created(streamer(context), { url: receiver.url, types: ["donation.created"] }));
  const one = recorded(await donate(donation(), { key: streamer(context) }));
  const [first] = await receiver.have(1);
  expect(first?.event).toEqual({
    type: "donation.created",
    timestamp: one.receivedAt,
    data: { ...one, isTest: false, isReplay: false, isImported: false },
  });
  const events = await listAllEvents({ types: "donation.created" }, { key: streamer(context) });
  const event = events.find(({ data }) => (data as { id: string }).id === one.id);
  expect(first?.headers["webhook-id"]).toBe(event?.id);
});

test("a delivery goes to the address as it was given, with its path and its query", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const below = "/a%20b/?token=x%2By&n=1&n=2";
  ({ secret } = await created(streamer(context), { url: `${receiver.url}${below}`, types: ["donation.created"] }));
  recorded(await donate(donation({ skipAlert: true }), { key: streamer(context) }));
  const [{ path } = { path: "" }] = await receiver.have(1);
  expect(path.slice(-below.length)).toBe(below);
});

test("a donation of another application arrives without its idempotency key, one of the own with it, recorded and void", async (context) => {
  const operator = operatorOf(context);
  const key = streamer(context);
  const { handle } = ((await me({ key })).body as { data: { streamer: { handle: string } } }).data.streamer;
  const other = await addKey(operator, handle, "write:donations read:donations write:webhooks", freshApplication());
  const subscribers = [];
  for (const one of [key, other]) subscribers.push({ key: one, ...(await subscribe(one, ["donation.created", "donation.voided"])) });
  const [ours, theirs] = [freshKey(), freshKey()];
  const donations = [
    recorded(await donate(donation({ idempotencyKey: ours }), { key })),
    recorded(await donate(donation({ idempotencyKey: theirs }), { key: other })),
  ];
  for (const one of donations) await takeBack(one, "mistake", { key });
  const keysOf = (received: readonly Received[]) => received.map(({ event }) => (event.data as Donation).idempotencyKey);
  const [toUs, toThem] = await Promise.all(subscribers.map(async ({ receiver }) => keysOf(await receiver.have(4))));
  for (const one of subscribers) await call(one.key, ["DELETE", `/${one.webhook.id}`]);
  expect([toUs, toThem]).toEqual([
    [ours, null, ours, null],
    [null, theirs, null, theirs],
  ]);
});

test("donations with and without an alert, and imported ones, arrive in the order in which they were recorded, each once", async (context) => {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  ({ secret } = await created(streamer(context), { url: receiver.url, types: ["donation.created"] }));
  const sent: string[] = [];
  for (let count = 0; count < 20; count += 1)
    sent.push(recorded(await donate(donation({ skipAlert: count % 2 === 1 }), { key: streamer(context) })).id);
  const imported = [1, 2, 3].map(() => donation({ idempotencyKey: freshKey() }));
  for (const { donationId } of outcomesOf(await importAll("JSON", imported, { key: streamer(context) }))) sent.push(donationId ?? "");
  const received = await receiver.have(sent.length);
  expect(received.map(({ event }) => (event.data as { id: string }).id)).toEqual(sent);
});

test.for([
  ["an address without TLS", "http://hooks.test/a"],
  ["a private address", "https://10.0.0.1/a"],
  ["the address of a cloud's metadata", "https://169.254.169.254/latest"],
  ["a private address of IPv6", "https://[fd00::1]/a"],
  ["an IPv4 address mapped into IPv6", "https://[::ffff:10.0.0.1]/a"],
  ["an IPv4 address translated by NAT64", "https://[64:ff9b::a00:1]/a"],
  ["an address as one number", "https://167772161/a"],
  ["a user name", "https://user@hooks.test/a"],
  ["an empty user name", "https://@hooks.test/a"],
  ["a fragment", "https://hooks.test/a#b"],
  ["an empty fragment", "https://hooks.test/a#"],
  ["the port 0", "https://hooks.test:0/a"],
  ["the port of SSH", "https://hooks.test:22/a"],
  ["the port of HTTP without TLS", "https://hooks.test:80/a"],
  ["the port of a database", "https://8.8.8.8:5432/a"],
  ["a port behind an address of IPv6", "https://[2606:4700::1111]:9000/a"],
  ["a host name without a dot", "https://single/"],
  ["no host", "https://:443/a"],
] as const)("a url with %s is refused with webhook_url_refused, which names the url", async ([, refused], context) => {
  const reply = await create(streamer(context), { url: refused });
  expectProblem(reply, 422, "webhook_url_refused");
  expect((reply.body as { detail: string }).detail).toMatch(/\burl\b/i);
});

test.for([
  "172.16.0.1",
  "172.31.255.255",
  "192.168.255.255",
  "100.64.0.1",
  "0.0.0.0",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "[::]",
  "[fe80::1]",
  "[ff02::1]",
  "[2002:a00:1::]",
  "0xa000001",
  "012.0.0.1",
  "10.1",
])("a url with the host %s, which is no public address, is refused with webhook_url_refused", async (host, context) =>
  expectProblem(await create(streamer(context), { url: `https://${host}/a` }), 422, "webhook_url_refused"),
);

test.for(["172.15.255.255", "172.32.0.1"])("a url with the address %s, a neighbour of private ones, is accepted", async (host, context) => {
  await created(streamer(context), { url: `https://${host}/a`, types: ["goal.reached"] });
});

test.for(["hooks.test:443", "hooks.test:0443", "hooks.test:8443", "[2606:4700::1111]:8443"])(
  "a url with the port of %s, which is open to every server, is accepted",
  async (host, context) => {
    await created(streamer(context), { url: `https://${host}/a`, types: ["goal.reached"] });
  },
);

test("a url that is no web address, and an unknown type, are refused by the contract", async (context) => {
  expectFaults(
    await create(streamer(context), { url: "ftp://hooks.test", types: ["donation.lost"] }),
    "/url invalid_format",
    "/types/0 invalid_enum",
  );
});

test("an eleventh webhook of an application is refused with too_many_webhooks; those of others and deleted ones do not count", async (context) => {
  const operator = operatorOf(context);
  const key = await addKey(operator, operator.handle, "write:webhooks read:donations", freshApplication());
  const made: string[] = [];
  for (let count = 0; count < 10; count += 1) made.push((await created(key, { url })).id);
  expectProblem(await create(key, { url }), 409, "too_many_webhooks");
  const { id: other } = await created(target().keys.main, { url });
  expect((await call(key, ["DELETE", `/${made.pop()}`])).status).toBe(204);
  made.push((await created(key, { url })).id);
  expectProblem(await create(key, { url }), 409, "too_many_webhooks");
  for (const id of made) await call(key, ["DELETE", `/${id}`]);
  await call(target().keys.main, ["DELETE", `/${other}`]);
});

test("a webhook gets no type that the scopes of its credential do not allow: insufficient_scope, and by default it gets those they allow", async (context) => {
  const operator = operatorOf(context);
  for (const [scope, isAllowed] of [
    ["read:alerts", (type: string) => !type.startsWith("donation.")],
    ["read:donations", (type: string) => type.startsWith("donation.")],
  ] as const) {
    const key = await addKey(operator, operator.handle, `write:webhooks ${scope}`, freshApplication());
    const [some = "", ...others] = eventTypes.filter(isAllowed);
    for (const type of eventTypes.filter((type) => !isAllowed(type)))
      for (const types of [[type], [some, type]]) expectProblem(await create(key, { url, types }), 403, "insufficient_scope");
    const { id, types } = await created(key, { url });
    expect(types.toSorted()).toEqual([some, ...others].toSorted());
    expect((await call(key, ["DELETE", `/${id}`])).status).toBe(204);
  }
});

test("webhooks are listed oldest first and without their secrets", async (context) => {
  const list = async () => dataOf<Webhook[]>(await call(streamer(context), ["GET", ""]));
  const before = (await list()).map(({ id }) => id);
  const made: Webhook[] = [];
  for (const name of ["a", "b", "c"]) {
    const { secret: _, ...webhook } = await created(streamer(context), { url: `https://hooks.test/${name}` });
    made.push(webhook);
  }
  expect((await list()).filter(({ id }) => !before.includes(id))).toEqual(made);
});

test("webhooks of another streamer are not listed", async (context) => {
  const { id } = await created(streamer(context), { url: "https://hooks.test/a" });
  const others = dataOf<Webhook[]>(await call(anotherStreamer(context), ["GET", ""]));
  expect(others.map((webhook) => webhook.id)).not.toContain(id);
});

test("a webhook is returned as it was created, without its secret", async (context) => {
  const description = " ไฟบนเวที\u00a0e\u0301 ";
  const { secret: _, ...webhook } = await created(streamer(context), { url: "https://hooks.test/a", description });
  expect(webhook.description).toBe(description);
  expect(await find(streamer(context), webhook.id)).toEqual(webhook);
});

test("a webhook belongs to its application: another streamer's and another application's key find nothing", async (context) => {
  const application = await addKey(operatorOf(context), "main", "write:webhooks", "other webhooks");
  const { id } = await created(target().keys.main, { url: "https://hooks.test/a" });
  for (const key of [streamer(context), application]) expectProblem(await call(key, ["GET", `/${id}`]), 404, "webhook_not_found");
  expect((await call(target().keys.main, ["DELETE", `/${id}`])).status).toBe(204);
});

test("a client of two streamers finds, changes and counts the webhooks of each apart", async (context) => {
  needsClients(context);
  const client = clientOf("confidential");
  const [{ access_token: ours }, { access_token: theirs }] = [await newGrant(client), await newGrant(client, { handle: "other" })];
  const { id } = await created(ours, { url });
  expect(dataOf<Webhook[]>(await call(theirs, ["GET", ""])).map((webhook) => webhook.id)).not.toContain(id);
  for (const path of [`/${id}`, `/${id}/deliveries`]) expectProblem(await call(theirs, ["GET", path]), 404, "webhook_not_found");
  for (const path of [`/${id}/rotate-secret`, `/${id}/test`])
    expectProblem(await call(theirs, ["POST", path], {}), 404, "webhook_not_found");
  expectProblem(await call(theirs, ["PATCH", `/${id}`], { enabled: false }), 404, "webhook_not_found");
  expectProblem(await call(theirs, ["DELETE", `/${id}`]), 404, "webhook_not_found");
  expect(await find(ours, id)).toMatchObject({ url, enabled: true, previousSecretUntil: null });
  expect((await call(ours, ["DELETE", `/${id}`])).status).toBe(204);
});

/** A webhook, and its receiver. */
async function subscribe(key: string, types = ["donation.created"]): Promise<{ receiver: Receiver; webhook: Webhook }> {
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(key, { url: receiver.url, types });
  ({ secret } = webhook);
  return { receiver, webhook };
}

test("a deleted webhook is gone with its deliveries, and gets nothing any more", async (context) => {
  const { receiver, webhook } = await subscribe(streamer(context));
  const reply = await call(streamer(context), ["DELETE", `/${webhook.id}`]);
  expect([reply.status, reply.text]).toEqual([204, ""]);
  for (const below of ["", "/deliveries"])
    expectProblem(await call(streamer(context), ["GET", `/${webhook.id}${below}`]), 404, "webhook_not_found");
  const other = await subscribe(streamer(context));
  // What the server would send to the deleted one with the first donation it has sent when another has got the second.
  for (const count of [1, 2]) {
    recorded(await donate(donation(), { key: streamer(context) }));
    await other.receiver.have(count);
  }
  expect(receiver.received).toEqual([]);
});
