import { randomUUID } from "node:crypto";
import { expect, type TestContext, test } from "vitest";

import { create, type Donation, expectProblem, get, readDonation, recorded } from "../../harness/client/api.ts";
import { type Reply, send } from "../../harness/client/http-client.ts";
import { forms, importAll, outcomesOf, verdictsOf } from "../../harness/client/imports.ts";
import { endOfLog, listAllEvents } from "../../harness/events/event-stream.ts";
import { type Body, donation } from "../../harness/generators/donations.ts";
import { keyOf } from "../../harness/server/target.ts";

type Erased = { dryRun: boolean; donations: number; speeches: number; answers: number };

/** A donator whom nobody else has, and their donation. */
async function someone(members: Body = {}): Promise<{ body: Body; one: Donation; who: { identifier: string } }> {
  const identifier = `erased-${randomUUID()}`;
  const body = donation({ identifier, donatorName: `ชื่อ ${randomUUID().slice(0, 8)}`, message: `ความลับ ${identifier}`, ...members });
  return { body, one: recorded(await create(body)), who: { identifier } };
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
const report = async (path: string) => (await send({ path: `/api/v1/donations/${path}` })).body as { data: Record<string, unknown> };

test("an erased donation keeps its amount and times, and loses name, message, identifier and idempotency key", async () => {
  const { one, who } = await someone({ idempotencyKey: randomUUID(), amount: 12.5, skipAlert: true });
  expect(erasedOf(await erase(who))).toMatchObject({ dryRun: false, donations: 1 });
  expect(await stored(one.id)).toEqual({ ...one, donatorName: "(erased)", message: "", identifier: null, idempotencyKey: null });
});

test("a dry run of an erasure counts the donations and changes nothing", async () => {
  const { one, who } = await someone();
  expect(erasedOf(await erase({ ...who, dryRun: true }))).toMatchObject({ dryRun: true, donations: 1 });
  expect(await stored(one.id)).toMatchObject({ donatorName: one.donatorName, message: one.message, identifier: one.identifier });
});

test("an erasure by name erases the donations without an identifier whose name is the same but for case, blanks and a leading @", async () => {
  const name = `Name ${randomUUID().slice(0, 8)}`;
  const sent = await Promise.all(
    [` @${name.toUpperCase()} `, name].map((donatorName) => create(donation({ donatorName, identifier: "" }))),
  );
  const others = [await someone({ donatorName: name }), await someone({ identifier: name })];
  expect(erasedOf(await erase({ donatorName: name }))).toMatchObject({ donations: 2 });
  for (const reply of sent) expect((await stored(recorded(reply).id)).donatorName).toBe("(erased)");
  for (const { one } of others) expect(await stored(one.id)).toMatchObject({ donatorName: one.donatorName, identifier: one.identifier });
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

test("erasures of two donators, one of whom donated twice, change no sum, no count and not the number of donators", async () => {
  const [twice, once] = [await someone({ amount: 77 }), await someone({ amount: 78 })];
  recorded(await create(twice.body));
  const figures = async () => {
    const { data } = await report("stats?source=external");
    const { total, count, median, uniqueDonators } = data;
    return { total, count, median, uniqueDonators };
  };
  const before = await figures();
  for (const { who } of [twice, once]) await erase(who);
  expect(await figures()).toEqual(before);
});

test("donation.erased tells of each erased donation, as it stands then", async () => {
  const { one, who } = await someone();
  const from = await endOfLog();
  await erase(who);
  const events = await listAllEvents({ after: from, types: "donation.erased" });
  expect(events.map(({ data }) => data)).toEqual([
    expect.objectContaining({ id: one.id, donatorName: "(erased)", message: "", identifier: null }),
  ]);
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
