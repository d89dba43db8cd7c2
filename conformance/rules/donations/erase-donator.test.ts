import { randomUUID } from "node:crypto";
import { expect, type TestContext, test } from "vitest";
import { create, type Donation, expectProblem, get, listAll, readDonation, recorded, takeBack } from "../../suite/client/api.ts";
import { endOfLog, listAllEvents } from "../../suite/client/events/event-stream.ts";
import { call, cleanUp, created, deliveriesOf, openReceiver, ownStreamer, settled } from "../../suite/client/events/webhooks.ts";
import { send } from "../../suite/client/http-client.ts";
import { forms, importAll, outcomesOf, verdictsOf } from "../../suite/client/imports.ts";
import { clientOf, needsClients, newGrant } from "../../suite/client/oauth/oauth-client.ts";
import { control, freshQueue, queue, queueOf } from "../../suite/client/overlay/alert-controls.ts";
import { closePages, follow, overlayKeyOf, show } from "../../suite/client/overlay/overlay-page.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { emptyDays } from "../../suite/models/reports.ts";
import { type Body, donation } from "../../suite/values/donations.ts";
import { keyOf } from "../../suite/values/target.ts";

const streamer = ownStreamer();
cleanUp(streamer);

type Erased = { dryRun: boolean; donations: number; speeches: number; answers: number };

/** A donator whom nobody else has, and their donation. */
async function someone(members: Body = {}, key?: string): Promise<{ body: Body; one: Donation; who: { identifier: string } }> {
  const identifier = `erased-${randomUUID()}`;
  const body = donation({ identifier, donatorName: `ชื่อ ${randomUUID().slice(0, 8)}`, message: `ความลับ ${identifier}`, ...members });
  return { body, one: recorded(await create(body, { key })), who: { identifier } };
}

const erase = (body: unknown, key?: string): Promise<Reply> =>
  send({
    method: "POST",
    path: "/api/v1/donators/erase",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    key,
  });

function erasedOf(reply: Reply): Erased {
  expect(reply.status, reply.text).toBe(200);
  return (reply.body as { data: Erased }).data;
}

const stored = async (id: string): Promise<Donation> => readDonation(await get(id));
const report = async (path: string, key?: string) =>
  (await send({ path: `/api/v1/donations/${path}`, key })).body as { data: Record<string, unknown> };

test("an erased donation keeps its amount and times, and loses name, message, identifier and idempotency key", async () => {
  const { one, who } = await someone({ idempotencyKey: randomUUID(), amount: 12.5, skipAlert: true });
  expect(erasedOf(await erase(who))).toMatchObject({ dryRun: false, donations: 1 });
  expect(await stored(one.id)).toEqual({ ...one, donatorName: "(erased)", message: "", identifier: null, idempotencyKey: null });
});

test("a dry run of an erasure counts the donations and changes nothing", async () => {
  const { one, who } = await someone();
  expect(erasedOf(await erase({ ...who, dryRun: true }))).toEqual({ dryRun: true, donations: 1, speeches: 0, answers: 0 });
  expect(await stored(one.id)).toMatchObject({ donatorName: one.donatorName, message: one.message, identifier: one.identifier });
});

test.each([{ unknown: 1 }, { dryRun: "true" }, { donatorName: "" }])(
  "an erasure that breaks a rule of its body is refused and erases nothing: %j",
  async (fault) => {
    const { one, who } = await someone({ skipAlert: true });
    expect((await erase({ ...who, ...fault })).status).toBe(400);
    expect(await stored(one.id)).toEqual(one);
  },
);

test("an erased donator is (erased) among the top donators, without an identifier, and with the sum of before", async () => {
  const [day = ""] = await emptyDays(1);
  const { who } = await someone({ amount: 12.5, createdAt: `${day}T12:00+07:00`, skipAlert: true });
  erasedOf(await erase(who));
  const { data } = await report(`top-donators?from=${day}&to=${day}`);
  expect(data.donators).toEqual([expect.objectContaining({ rank: 1, name: "(erased)", identifier: null, total: 12.5, count: 1 })]);
});

test("an erasure by name erases the donations without an identifier whose name is the same but for case, blanks and a leading @", async () => {
  const name = `Name ${randomUUID().slice(0, 8)}`;
  const sent = await Promise.all(
    [` @${name.toUpperCase()} `, name].map((donatorName) => create(donation({ donatorName, identifier: "" }))),
  );
  const others = [await someone({ donatorName: name }), await someone({ identifier: name })];
  expect(erasedOf(await erase({ donatorName: `@ ${name.toLowerCase()}` }))).toMatchObject({ donations: 2 });
  for (const reply of sent) expect((await stored(recorded(reply).id)).donatorName).toBe("(erased)");
  for (const { one } of others) expect(await stored(one.id)).toMatchObject({ donatorName: one.donatorName, identifier: one.identifier });
});

test("an erasure by identifier leaves whoever has that text as a name, and one by both erases both", async () => {
  const text = `both-${randomUUID()}`;
  const named = recorded(await create(donation({ donatorName: text, identifier: "" })));
  const identified = recorded(await create(donation({ identifier: text })));
  expect(erasedOf(await erase({ identifier: text }))).toMatchObject({ donations: 1 });
  expect([(await stored(named.id)).donatorName, (await stored(identified.id)).identifier]).toEqual([text, null]);
  const { who, one } = await someone();
  expect(erasedOf(await erase({ ...who, donatorName: text, dryRun: true }))).toMatchObject({ donations: 2 });
  expect(erasedOf(await erase({ ...who, donatorName: text }))).toMatchObject({ donations: 2 });
  for (const { id } of [named, one]) expect((await stored(id)).donatorName).toBe("(erased)");
  expect(erasedOf(await erase({ ...who, donatorName: text }))).toMatchObject({ donations: 0 });
});

test("an erasure takes donations that are void, and they stay void for the same reason", async () => {
  const { one, who } = await someone();
  const { voided } = await takeBack(one, "refund");
  expect(erasedOf(await erase(who))).toMatchObject({ donations: 1 });
  expect(await stored(one.id)).toMatchObject({ donatorName: "(erased)", message: "", identifier: null, voided });
});

test("an erasure takes every donation of a donator who has more than a thousand", async () => {
  const { who } = await someone();
  const many = Array.from({ length: 1_001 }, () => donation({ ...who, idempotencyKey: randomUUID(), skipAlert: true }));
  for (const some of [many.slice(0, 1_000), many.slice(1_000)]) expect((await importAll("JSON", some)).status).toBe(200);
  expect(erasedOf(await erase({ ...who, dryRun: true }))).toMatchObject({ donations: 1_002 });
  expect(erasedOf(await erase(who))).toMatchObject({ donations: 1_002 });
  expect(erasedOf(await erase({ ...who, dryRun: true }))).toMatchObject({ donations: 0 });
  expect(await listAll({ ...who, limit: 100 })).toEqual([]);
});

test("an alert that waits while its donator is erased plays without what they wrote", async (context) => {
  await freshQueue();
  await control("pause");
  const { one, who } = await someone({ skipAlert: false });
  erasedOf(await erase(who));
  const nobody = { donationId: one.id, donatorName: "(erased)", message: "" };
  expect(queueOf(await queue()).waiting).toMatchObject([nobody]);
  const page = await follow({ key: overlayKeyOf(context) });
  await control("resume");
  expect(await show(page)).toMatchObject(nobody);
  closePages();
});

test("what receivers of webhooks answered about an erased donation is gone, and a delivery of it that is repeated has nothing of them", async (context) => {
  const key = streamer(context);
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const webhook = await created(key, { url: receiver.url, types: ["donation.created"] });
  ({ secret } = webhook);
  const { body, who } = { body: donation({ message: "hello" }), who: { identifier: `erased-${randomUUID()}` } };
  receiver.answer = { status: 200, body: `Thanks, ${who.identifier}` };
  recorded(await create({ ...body, ...who }, { key }));
  recorded(await create(body, { key }));
  await settled(key, webhook.id, { status: "succeeded", count: 2 });
  expect(erasedOf(await erase(who, key))).toMatchObject({ donations: 1, answers: 1 });
  const { data } = await deliveriesOf(key, webhook.id);
  expect(data.map(({ attempts }) => attempts.map(({ answer }) => answer))).toEqual([[receiver.answer.body], [null]]);
  receiver.answer = { status: 200, body: "ok" };
  expect((await call(key, ["POST", `/${webhook.id}/deliveries/${data[1]?.id}/redeliver`])).status).toBe(202);
  const again = (await receiver.have(3)).at(-1);
  expect(again?.event.data).toMatchObject({ donatorName: "(erased)", message: "", identifier: null });
  expect(again?.body).not.toContain(who.identifier);
});

test("what receivers answered to each type of event of an erased donation is gone, and none that is sent again has anything of the donator", async (context) => {
  const key = streamer(context);
  let secret = "";
  const receiver = await openReceiver(() => secret);
  const types = ["alert.skipped", "donation.created", "donation.voided"];
  const webhook = await created(key, { url: receiver.url, types });
  ({ secret } = webhook);
  const identifier = `erased-${randomUUID()}`;
  receiver.answer = { status: 200, body: `Thanks, ${identifier}` };
  const { one } = await someone({ identifier, skipAlert: false }, key);
  await takeBack(one, "refund", { key });
  await settled(key, webhook.id, { status: "succeeded", count: types.length });
  expect(erasedOf(await erase({ identifier }, key))).toMatchObject({ donations: 1, answers: types.length });
  const { data } = await deliveriesOf(key, webhook.id);
  expect(data.map(({ type, attempts }) => [type, ...attempts.map(({ answer }) => answer)]).sort()).toEqual(
    types.map((type) => [type, null]),
  );
  receiver.answer = { status: 200, body: "ok" };
  for (const { id } of data) expect((await call(key, ["POST", `/${webhook.id}/deliveries/${id}/redeliver`])).status).toBe(202);
  for (const { body } of (await receiver.have(2 * types.length)).slice(types.length))
    for (const text of [identifier, one.donatorName]) expect(body).not.toContain(text);
});

test("a request that is repeated after the erasure is answered with the erased donation and brings nothing back", async () => {
  const { one, who, body } = await someone({ idempotencyKey: randomUUID() });
  await erase(who);
  const reply = await create(body);
  expect([reply.status, reply.headers["idempotent-replayed"]]).toEqual([200, "true"]);
  expect(readDonation(reply)).toEqual(await stored(one.id));
  expect(reply.text).not.toContain(who.identifier);
  expectProblem(await create({ ...body, amount: 999 }), 422, "idempotency_key_reused");
});

test("requests that are repeated after the erasure, while another streamer's donations are recorded, bring nothing back", async (context) => {
  const other = keyOf(context, "other");
  const erased = await Promise.all(Array.from({ length: 8 }, () => someone({ idempotencyKey: randomUUID(), skipAlert: true })));
  for (const { who } of erased) await erase(who);
  const replies = await Promise.all(erased.flatMap(({ body }) => [create(body), create(donation({ skipAlert: true }), { key: other })]));
  const [repeated, others] = [replies.filter((_, index) => index % 2 === 0), replies.filter((_, index) => index % 2 === 1)];
  expect(repeated.map((reply) => [reply.status, readDonation(reply).id])).toEqual(erased.map(({ one }) => [200, one.id]));
  for (const reply of others) recorded(reply);
});

test("an erasure takes idempotency keys of its streamer alone: the same client records under them for another streamer", async (context) => {
  needsClients(context);
  const other = keyOf(context, "other");
  await erase((await someone({}, other)).who, other);
  const [ours, theirs] = await Promise.all(
    [undefined, "other" as const].map((handle) => newGrant(clientOf("confidential"), handle && { handle })),
  );
  const { one, who, body } = await someone({ idempotencyKey: randomUUID(), skipAlert: true }, ours?.access_token);
  await erase(who);
  expect(recorded(await create(body, { key: theirs?.access_token })).id).not.toBe(one.id);
});

test.each(forms)(
  "an import as %s of a donation that was erased is answered with the erased donation and brings nothing back",
  async (form) => {
    const { one, who, body } = await someone({ idempotencyKey: randomUUID(), skipAlert: true });
    await erase(who);
    const reply = await importAll(form, [body, { ...body, amount: 999 }]);
    expect(verdictsOf(reply)).toEqual([200, "idempotency_key_reused"]);
    expect(outcomesOf(reply)[0]?.donationId).toBe(one.id);
    expect(await stored(one.id)).toMatchObject({ donatorName: "(erased)", message: "", identifier: null });
    expect((await send({ path: `/api/v1/donations?identifier=${who.identifier}&sort=-receivedAt` })).text).not.toContain(who.identifier);
  },
);

test("no list, search or event contains an erased donator, and none of them did without being asked again", async () => {
  const { who } = await someone();
  const from = await endOfLog();
  // The newest come first: with thousands of donations of later dates the first page of another order may be empty.
  const newest = "/donations?sort=-receivedAt";
  const paths = [`${newest}&identifier=${who.identifier}`, `/donations/search?q=${who.identifier}`, `${newest}&limit=5`];
  const ask = async () =>
    (await Promise.all(paths.map((path) => send({ path: `/api/v1${path}` })))).map(({ text }) => text.includes(who.identifier));
  for (const _ of [1, 2, 3]) expect(await ask()).toEqual([true, true, true]); // answers of repeated requests are cached
  await erase(who);
  expect(await ask()).toEqual([false, false, false]);
  expect(JSON.stringify(await listAllEvents({ after: from }))).not.toContain(who.identifier);
});

test.for<[streamer: string, keyFor: (context: TestContext) => string | undefined]>([
  ["the streamer of all rules", () => undefined],
  ["a streamer with few donations", streamer],
])(
  "erasures of two donators of %s, one of whom donated twice, change no sum, no count and not the number of donators",
  async ([, keyFor], context) => {
    const key = keyFor(context);
    const [twice, once, kept] = [
      await someone({ amount: 77 }, key),
      await someone({ amount: 78 }, key),
      await someone({ amount: 79 }, key),
    ];
    recorded(await create(twice.body, { key }));
    const figures = async () => {
      const { data } = await report("stats?source=external", key);
      const { total, count, median, uniqueDonators } = data;
      return { total, count, median, uniqueDonators };
    };
    const before = await figures();
    for (const { who } of [twice, once]) await erase(who, key);
    expect(await figures()).toEqual(before);
    // Until now a server may have answered what it computed before the erasures.
    recorded(await create(kept.body, { key }));
    const { count, uniqueDonators } = await figures();
    expect({ count, uniqueDonators }).toEqual({ count: Number(before.count) + 1, uniqueDonators: before.uniqueDonators });
  },
);

test("donation.erased tells of each erased donation, as it stands then, when it was erased, and whether it was imported", async () => {
  const { body, one, who } = await someone({ skipAlert: true });
  const [imported] = outcomesOf(await importAll("JSON", [{ ...body, idempotencyKey: randomUUID() }]));
  const from = await endOfLog();
  await erase(who);
  const events = await listAllEvents({ after: from, types: "donation.erased" });
  const told = async (id: string, isImported: boolean) => ({ ...(await stored(id)), isTest: false, isReplay: false, isImported });
  const later = await told(String(imported?.donationId), true);
  expect(events.map(({ data }) => data)).toEqual([await told(one.id, false), later]);
  for (const { timestamp } of events) expect(timestamp >= later.receivedAt, "both by the server's clock").toBe(true);
});

test("an erasure touches no other streamer's donations, whose donator has the same identifier", async (context: TestContext) => {
  const other = keyOf(context, "other");
  const { body, one, who } = await someone();
  expect(erasedOf(await erase(who, other))).toMatchObject({ donations: 0 });
  const theirs = recorded(await create(body, { key: other }));
  expect(erasedOf(await erase(who, other))).toMatchObject({ donations: 1 });
  expect(readDonation(await get(theirs.id, { key: other })).identifier).toBeNull();
  expect(await stored(one.id)).toEqual(one);
});

test("an erasure that names nobody erases nothing", async () => {
  expect(erasedOf(await erase({}))).toEqual({ dryRun: false, donations: 0, speeches: 0, answers: 0 });
});
