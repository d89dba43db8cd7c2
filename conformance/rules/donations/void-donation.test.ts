import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import {
  create,
  type Donation,
  expectProblem,
  get,
  post,
  readDonation,
  recorded,
  takeBack,
  type VoidReason,
  voidDonation,
  voidReasons,
} from "../../suite/client/api.ts";
import { endOfLog, listAllEvents } from "../../suite/client/events/event-stream.ts";
import { clientOf, needsClients, newGrant } from "../../suite/client/oauth/oauth-client.ts";
import { addKey } from "../../suite/client/operator.ts";
import { donation } from "../../suite/values/donations.ts";
import { keyOf, operatorOf } from "../../suite/values/target.ts";

const stored = async (id: string): Promise<Donation> => readDonation(await get(id));

test("a donation that is voided stays as it was, with the time and the reason in voided", async () => {
  const one = await post({ message: "ขอบคุณ" });
  expect(one.voided).toBeNull();
  const before = Date.parse(one.receivedAt);
  const answered = await takeBack(one, "chargeback");
  expect(answered).toEqual({ ...one, voided: { at: expect.any(String), reason: "chargeback" } });
  expect(Date.parse(answered.voided?.at ?? "")).toBeGreaterThanOrEqual(before);
  expect(await stored(one.id)).toEqual(answered);
});

test.each(voidReasons.map((reason) => ({ reason })))(
  "a donation can be void for the reason $reason, with a note that no answer shows",
  async ({ reason }) => {
    const one = await post({});
    const note = `${"ห".repeat(240)} ${one.id}`.slice(0, 255);
    const reply = await voidDonation(one.id, { reason, note });
    expect(readDonation(reply)).toEqual({ ...one, voided: { at: expect.any(String), reason } });
    expect([reply.text, (await get(one.id)).text].filter((text) => text.includes("ห"))).toEqual([]);
  },
);

test("a note with NUL and a lone surrogate is accepted, also when the void is repeated", async () => {
  const one = await post({});
  const body = { reason: "mistake", note: "a\u0000\ud800" };
  const answered = readDonation(await voidDonation(one.id, body));
  expect(answered).toEqual({ ...one, voided: { at: expect.any(String), reason: "mistake" } });
  expect(readDonation(await voidDonation(one.id, body))).toEqual(answered);
});

test.each([{ unknown: 1 }, { note: null }, { note: "x".repeat(256) }])(
  "a void that breaks a rule of its body is refused and leaves the donation valid: %j",
  async (fault) => {
    const one = await post({});
    expect((await voidDonation(one.id, { reason: "refund", ...fault })).status).toBe(400);
    expect(await stored(one.id)).toEqual(one);
  },
);

test("voiding again for the same reason, with the first note, another or none, answers the donation as it is and has no further effect", async () => {
  const one = await post({});
  const first = readDonation(await voidDonation(one.id, { reason: "refund", note: "Case 4711" }));
  const end = await endOfLog();
  for (const again of [{ note: "Case 4711" }, { note: "another case" }, { note: "" }, {}])
    expect(readDonation(await voidDonation(one.id, { reason: "refund", ...again }))).toEqual(first);
  const since = await listAllEvents({ after: end, types: "donation.voided" });
  expect(since.filter(({ data }) => "id" in data && data.id === one.id)).toEqual([]);
});

test("voiding again for another reason is refused with already_voided, and the first reason stays", async () => {
  const one = await post({});
  const first = await takeBack(one, "refund");
  for (const reason of voidReasons.filter((other) => other !== "refund"))
    expectProblem(await voidDonation(one.id, { reason }), 409, "already_voided");
  expect(await stored(one.id)).toEqual(first);
});

test("a donation that many requests void at once for different reasons has one of these reasons, and one event donation.voided", async () => {
  const one = await post({});
  const end = await endOfLog();
  const asked = Array.from({ length: 20 }, (_, index) => voidReasons[index % voidReasons.length] as VoidReason);
  const replies = await Promise.all(asked.map((reason) => voidDonation(one.id, { reason })));
  const { voided } = await stored(one.id);
  expect(replies.map(({ status }) => status)).toEqual(asked.map((reason) => (reason === voided?.reason ? 200 : 409)));
  const told = await listAllEvents({ after: end, types: "donation.voided" });
  expect(told.filter(({ data }) => "id" in data && data.id === one.id)).toHaveLength(1);
});

test("an id that names nothing, or is malformed, can't be voided: donation_not_found", async () => {
  for (const id of [randomUUID(), "x", "%00", "9".repeat(300)])
    expectProblem(await voidDonation(id, { reason: "mistake" }), 404, "donation_not_found");
});

test("another streamer's donation can't be voided: donation_not_found, and it stays valid", async (context) => {
  const key = keyOf(context, "other");
  const one = await post({});
  expectProblem(await voidDonation(one.id, { reason: "mistake" }, { key }), 404, "donation_not_found");
  expect(await stored(one.id)).toEqual(one);
});

test("a key of the streamer voids what any application has recorded", async (context) => {
  const one = await post({});
  const key = await addKey(operatorOf(context), operatorOf(context).handle, "void:donations", "another application");
  expect(await takeBack(one, "fraud", { key })).toMatchObject({ id: one.id, idempotencyKey: null });
});

test("an application of OAuth voids what it has recorded", async (context) => {
  needsClients(context);
  const { access_token: key } = await newGrant(clientOf("confidential"));
  const one = recorded(await create(donation({ skipAlert: true }), { key }));
  expect((await takeBack(one, "refund", { key })).id).toBe(one.id);
});

test("an application of OAuth can't void what another has recorded: donation_not_found, and it stays valid", async (context) => {
  needsClients(context);
  const [mine, theirs] = [await newGrant(clientOf("confidential")), await newGrant(clientOf("second"))];
  const others = [await post({}), recorded(await create(donation({ skipAlert: true }), { key: theirs.access_token }))];
  for (const one of others) {
    expectProblem(await voidDonation(one.id, { reason: "mistake" }, { key: mine.access_token }), 404, "donation_not_found");
    expect((await stored(one.id)).voided).toBeNull();
  }
});
