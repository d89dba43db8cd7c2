import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  create,
  type Donation,
  expectProblem,
  expectWithin,
  get,
  listAll,
  me,
  readDonation,
  recorded,
  takeBack,
} from "../../suite/client/api.ts";
import { endOfLog, listAllEvents } from "../../suite/client/events/event-stream.ts";
import { send } from "../../suite/client/http-client.ts";
import { beginImport, forms, importAll, importLines, openImport, outcomesOf, verdictsOf } from "../../suite/client/imports.ts";
import { clientOf, expectRevoked, needsClients, newGrant, revoke } from "../../suite/client/oauth/oauth-client.ts";
import { undoImport } from "../../suite/client/operator.ts";
import { type Body, donation, freshIdentifier, freshKey } from "../../suite/values/donations.ts";
import { keyOf, operatorOf, target } from "../../suite/values/target.ts";

// What becomes of an import that its streamer undoes.

const imported = (members: Body = {}): Body => donation({ idempotencyKey: freshKey(), skipAlert: true, ...members });
const stored = async (id: string, key?: string): Promise<Donation> => readDonation(await get(id, { key }));
const reasonOf = async (id: string): Promise<string | null> => (await stored(id)).voided?.reason ?? null;
const idsOf = (reply: Parameters<typeof outcomesOf>[0]): string[] => outcomesOf(reply).map(({ donationId }) => String(donationId));

describe.each(forms)("an import as %s", (form) => {
  test(`undoing an import as ${form} voids every donation that it recorded, whichever request of it did, and nothing else`, async (context) => {
    const operator = operatorOf(context);
    const [importId, end] = [crypto.randomUUID(), await endOfLog()];
    const single = imported();
    const alone = recorded(await create(single));
    const first = idsOf(await importAll(form, [imported(), imported()], { importId }));
    const [other = ""] = idsOf(await importAll(form, [imported()]));
    const reply = await importAll(form, [imported(), single, imported()], { importId });
    expect(verdictsOf(reply)).toEqual([201, 200, 201]);
    const own = [...first, ...idsOf(reply).filter((id) => id !== alone.id)];
    const later = recorded(await create(imported()));
    const [refunded = "", ...mistaken] = own;
    await takeBack(await stored(refunded), "refund");
    expect(await undoImport(operator, importId)).toBe(mistaken.length);
    for (const id of mistaken) expect(await reasonOf(id)).not.toBeNull();
    expect(await reasonOf(refunded)).toBe("refund");
    for (const id of [alone.id, other, later.id]) expect(await reasonOf(id), "none of the import").toBeNull();
    const told = (await listAllEvents({ after: end, types: "donation.voided" })).map(({ data }) => (data as Donation).id);
    expect(told.toSorted()).toEqual(own.toSorted());
  });

  test(`an import as ${form} that was undone is refused with import_undone, and undoing it again changes nothing`, async (context) => {
    const operator = operatorOf(context);
    const [importId, identifier] = [crypto.randomUUID(), freshIdentifier()];
    const sent = imported();
    const [id = ""] = idsOf(await importAll(form, [sent], { importId }));
    expect(await undoImport(operator, importId)).toBe(1);
    const { voided } = await stored(id);
    const later = imported({ identifier });
    for (const some of [[later], [sent], [sent, later]]) expectProblem(await importAll(form, some, { importId }), 409, "import_undone");
    expect(await listAll({ identifier, status: "all" })).toEqual([]);
    expect(await undoImport(operator, importId)).toBe(0);
    expect((await stored(id)).voided).toEqual(voided);
    expect(verdictsOf(await importAll(form, [later])), "the refused request has burnt no key").toEqual([201]);
  });

  test(`an import as ${form} that is sent again after its undo records what the undo took back, once, and under the same keys`, async (context) => {
    const [operator, importId] = [operatorOf(context), crypto.randomUUID()];
    const sent = [imported(), imported(), imported()];
    const before = idsOf(await importAll(form, sent, { importId }));
    expect(await undoImport(operator, importId)).toBe(3);
    for (const id of before) expect((await stored(id)).idempotencyKey, "a key is of one donation").toBeNull();
    const corrected = [{ ...sent[0], amount: 77 }, ...sent.slice(1)];
    const again = await importAll(form, corrected);
    expect(verdictsOf(again)).toEqual([201, 201, 201]);
    for (const [place, id] of idsOf(again).entries())
      expect(await stored(id)).toMatchObject({
        amount: corrected[place]?.amount,
        idempotencyKey: sent[place]?.idempotencyKey,
        voided: null,
      });
    expect(verdictsOf(await importAll(form, corrected))).toEqual([200, 200, 200]);
    expect(verdictsOf(await importAll(form, sent))).toEqual(["idempotency_key_reused", 200, 200]);
    expectProblem(await create({ ...sent[1], amount: 78 }), 422, "idempotency_key_reused");
    for (const id of before) expect(await reasonOf(id), "stays void").not.toBeNull();
  });

  test(`an import as ${form} that is sent again after its undo does not bring back what was void before, erased, or recorded otherwise`, async (context) => {
    const [operator, importId, identifier] = [operatorOf(context), crypto.randomUUID(), freshIdentifier()];
    const [single, refunded, erased, mistaken] = [imported(), imported(), imported({ identifier }), imported()];
    recorded(await create(single));
    const sent = [single, refunded, erased, mistaken];
    const ids = idsOf(await importAll(form, sent, { importId }));
    await takeBack(await stored(ids[1] ?? ""), "refund");
    const forget = { method: "POST", path: "/api/v1/donators/erase", headers: { "Content-Type": "application/json" } };
    expect((await send({ ...forget, body: JSON.stringify({ identifier }) })).status).toBe(200);
    expect(await undoImport(operator, importId)).toBe(2);
    const again = await importAll(form, sent);
    expect(verdictsOf(again)).toEqual([200, 200, 200, 201]);
    expect(idsOf(again).slice(0, 3)).toEqual(ids.slice(0, 3));
    expect(await listAll({ identifier, status: "all" })).toEqual([]);
  });

  test(`undoing an import as ${form} leaves another streamer's import of the same id as it is`, async (context) => {
    const [operator, key] = [operatorOf(context), keyOf(context, "other")];
    const importId = crypto.randomUUID();
    await importAll(form, [imported()], { importId });
    const [theirs = ""] = idsOf(await importAll(form, [imported()], { importId, key }));
    await undoImport(operator, importId);
    expect((await stored(theirs, key)).voided).toBeNull();
    expect(verdictsOf(await importAll(form, [imported()], { importId, key }))).toEqual([201]);
  });
});

test("lines under way end when their import is undone, and none of them counts", async (context) => {
  const operator = operatorOf(context);
  const [importId, identifier] = [crypto.randomUUID(), freshIdentifier()];
  const line = () => `${JSON.stringify(imported({ identifier }))}\n`;
  const sender = await beginImport({ importId }, [line()]);
  let hasEnded = false;
  void sender.ended.finally(() => (hasEnded = true));
  expect(await undoImport(operator, importId)).toBe(1);
  sender.send(line());
  await expect.poll(() => hasEnded).toBe(true);
  expect(sender.outcomes().filter(({ status }) => status < 300)).toHaveLength(1);
  expect(await listAll({ identifier })).toEqual([]);
});

const linesOf = (count: number, identifier: string): string[] =>
  Array.from({ length: count }, () => `${JSON.stringify(donation({ idempotencyKey: freshKey(), skipAlert: true, identifier }))}\n`);

test("a line of an import is answered before the next one is sent", async () => {
  const [first, second] = linesOf(2, freshIdentifier()) as [string, string];
  const sender = await beginImport({ importId: crypto.randomUUID() }, [first]);
  expect(sender.outcomes().map(({ status }) => status)).toEqual([201]);
  sender.send(second);
  await expect
    .poll(() => sender.outcomes().map(({ index, status }) => [index, status]))
    .toEqual([
      [0, 201],
      [1, 201],
    ]);
  sender.disconnect();
});

test("what an import recorded stays when its client disconnects in the middle of a line, and sending it again records the rest once", async () => {
  const identifier = freshIdentifier();
  const lines = linesOf(40, identifier);
  const sender = await beginImport({ importId: crypto.randomUUID() }, lines.slice(0, 20));
  sender.send(String(lines[20]?.slice(0, 10)));
  const first = sender.outcomes().map(({ donationId }) => donationId);
  sender.disconnect();
  expect(await sender.ended).toBe(false);
  const again = await importLines(lines.join(""));
  expect(verdictsOf(again)).toEqual(lines.map((_, index) => (index < 20 ? 200 : 201)));
  expect(
    outcomesOf(again)
      .slice(0, 20)
      .map(({ donationId }) => donationId),
  ).toEqual(first);
  expect(await listAll({ identifier })).toHaveLength(40);
});

test("imports of lines that were broken off take no place from later ones", async () => {
  for (let round = 0; round < 20; round += 1) {
    const sender = await beginImport({ importId: crypto.randomUUID() }, linesOf(1, freshIdentifier()));
    sender.disconnect();
    await sender.ended;
  }
  expect(verdictsOf(await importLines(linesOf(1, freshIdentifier()).join("")))).toEqual([201]);
});

test("an import that is answered 400 because its body became malformed has recorded nothing, whenever that was", async (context) => {
  if (target().foreign) context.skip("not applicable: a reverse proxy answers broken framing itself, after it has passed lines on");
  const statuses = new Set<number | null>();
  for (let round = 0; round < 24; round += 1) {
    const identifier = freshIdentifier();
    const sender = openImport({ importId: crypto.randomUUID() });
    sender.send(linesOf(1, identifier).join(""));
    await sleep(round);
    sender.breakFraming();
    await sender.ended;
    statuses.add(sender.status());
    if (sender.status() === 400) expect(await listAll({ identifier })).toEqual([]);
  }
  for (const status of statuses) expect([200, 400, 429, null]).toContain(status); // 429: earlier lines are still being recorded
});

test("an import whose credential is revoked ends after the lines before, and no later line is recorded", async (context) => {
  needsClients(context);
  const client = clientOf("confidential");
  const { access_token: key } = await newGrant(client);
  const identifier = freshIdentifier();
  const [first, second] = linesOf(2, identifier) as [string, string];
  const sender = await beginImport({ importId: crypto.randomUUID(), key }, [first]);
  expectRevoked(await revoke(client, key));
  await expectWithin(1000, async () => (await me({ key })).status, 401);
  sender.send(second);
  await sender.ended;
  expect(sender.outcomes()).toHaveLength(1);
  expect(await listAll({ identifier })).toHaveLength(1);
});
