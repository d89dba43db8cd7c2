import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { create, createRaw, expectFaults, expectProblem, found, get, listAll, recorded, replayed } from "./harness/api.ts";
import { type Body, donation, donations, freshIdentifier, freshKey, fullDonation } from "./harness/donations.ts";
import { holds, holdsForAll } from "./harness/holds.ts";
import { mutationsBut } from "./harness/mutations.ts";
import { keyOf } from "./harness/target.ts";

/** Both bodies are the same donation: the second answers with the first. */
async function sameDonation(first: Body, second: Body): Promise<void> {
  const idempotencyKey = freshKey();
  const original = recorded(await create({ ...first, idempotencyKey }));
  expect(replayed(await create({ ...second, idempotencyKey }))).toEqual(original);
}

/** The second body is another donation: refused, and nothing changes. */
async function otherDonation(first: Body, second: Body): Promise<void> {
  const idempotencyKey = freshKey();
  const original = recorded(await create({ ...first, idempotencyKey }));
  expectProblem(await create({ ...second, idempotencyKey }), 422, "idempotency_key_reused");
  expect(found(await get(original.id))).toEqual(original);
}

test("the same key and donation again answer 200 with the donation recorded first", () =>
  holds(donations, (body) => sameDonation(body, body), { runs: 100 }));

test("a replay carries the Location of the donation", async () => {
  const body = fullDonation();
  const [first, second] = [await create(body), await create(body)];
  expect(second.headers.location).toBe(first.headers.location);
});

test("of 100 at once with one key one is recorded and 99 are replays of it", async () => {
  const body = fullDonation();
  const replies = await Promise.all(Array.from({ length: 100 }, () => create(body)));
  const originals = replies.filter(({ status }) => status === 201).map(recorded);
  expect(originals.length).toBe(1);
  for (const reply of replies.filter(({ status }) => status !== 201)) expect(replayed(reply)).toEqual(originals[0]);
  expect(await listAll({ identifier: String(body.identifier) })).toEqual(originals);
});

test("of many at once each key is recorded once, and each answer is the right one", async () => {
  const identifier = freshIdentifier();
  const bodies = Array.from({ length: 200 }, (_, index) => donation({ identifier, amount: 1 + (index % 40), idempotencyKey: `${identifier}:${index % 40}` }));
  await holdsForAll(bodies, async (body) => {
    const reply = await create(body);
    expect((reply.status === 201 ? recorded : replayed)(reply)).toMatchObject(body);
  }, 64);
  expect((await listAll({ identifier })).map(({ amount }) => amount).sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
});

test("of two donations at once with one key one is recorded and the other refused", () =>
  holds(fc.integer({ min: 2, max: 99 }), async (amount) => {
    const idempotencyKey = freshKey();
    const replies = await Promise.all([create(donation({ idempotencyKey })), create(donation({ idempotencyKey, amount: 100 + amount }))]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422]);
  }));

const other: Body = { donatorName: "สมหญิง", amount: 123.46, message: "อื่น", identifier: "other", skipAlert: false, createdAt: "2026-11-20T19:30:00.001+07:00" };

test.each(Object.keys(other))("the same key with another %s is 422, and nothing changes", (member) => {
  const first = fullDonation();
  return otherDonation(first, { ...first, [member]: other[member] });
});

test.each(["message", "identifier", "skipAlert", "createdAt"])("the same key without %s is 422: absent is not what was sent", (member) => {
  const first = fullDonation();
  return otherDonation(first, { ...first, [member]: undefined });
});

test.each(["message", "identifier", "skipAlert", "createdAt"])("the same key with %s added is 422: what was sent is not absent", (member) =>
  otherDonation(donation(), donation({ [member]: fullDonation()[member] })));

describe("compared as it is stored", () => {
  const at = (createdAt: string): Body => donation({ createdAt });
  test.each([
    ["the default currency and none", donation({ currency: "THB" }), donation()],
    ["the default message and none", donation({ message: "" }), donation()],
    ["the default skipAlert and none", donation({ skipAlert: false }), donation()],
    ["an empty identifier and none", donation({ identifier: "" }), donation()],
    ["an instant at two offsets", at("2026-11-20T19:30:00+07:00"), at("2026-11-20T12:30:00Z")],
    ["an instant with and without seconds", at("2026-11-20T12:30:00.000Z"), at("2026-11-20T12:30Z")],
    ["an instant with fractions that truncate alike", at("2026-11-20T12:30:00.9999Z"), at("2026-11-20T12:30:00.999Z")],
    ["an instant beyond UTC's years at two offsets", at("0000-01-01T00:00+07:00"), at("0000-01-01T01:00+08:00")],
    ["NUL and U+FFFD", donation({ message: "\u0000" }), donation({ message: "\ufffd" })],
  ])("%s are the same", (_, first, second) => sameDonation(first, second));

  test("two spellings of one double are the same", async () => {
    const idempotencyKey = freshKey();
    const original = recorded(await create(donation({ donatorName: "a", amount: 1_000_000, idempotencyKey })));
    const reply = await createRaw(`{"donatorName":"a","amount":1000000.00000000001,"idempotencyKey":"${idempotencyKey}"}`);
    expect(replayed(reply)).toEqual(original);
  });

  test.each([
    ["neighbouring doubles", donation({ amount: 0.1 }), donation({ amount: 0.10000000000000002 })],
    ["NFC and NFD", donation({ message: "\u00e9" }), donation({ message: "e\u0301" })],
    ["names that differ in case", donation({ donatorName: "A" }), donation({ donatorName: "a" })],
    ["names that differ in blanks", donation({ donatorName: "a" }), donation({ donatorName: "a " })],
    ["instants a millisecond apart", at("2026-11-20T12:30:00.998Z"), at("2026-11-20T12:30:00.999Z")],
  ])("%s are not the same", (_, first, second) => otherDonation(first, second));

  test("the createdAt that was answered is not an absent one", async () => {
    const idempotencyKey = freshKey();
    const { createdAt } = recorded(await create(donation({ idempotencyKey })));
    expectProblem(await create(donation({ idempotencyKey, createdAt })), 422, "idempotency_key_reused");
  });
});

test("keys are compared exactly: case, blanks and normalisation count", async () => {
  const key = freshKey();
  for (const idempotencyKey of [`${key}a`, `${key}A`, `${key}a `, `${key}\u00e9`, `${key}e\u0301`, `${key}\ufe0f`]) recorded(await create(donation({ idempotencyKey })));
});

test("a key belongs to its application: another one of the streamer records anew and reads null", async (context) => {
  const body = fullDonation();
  const second = keyOf(context, "secondApplication");
  const ours = recorded(await create(body));
  const theirs = recorded(await create(body, { key: second }));
  expect(theirs.id).not.toBe(ours.id);
  expect(found(await get(ours.id, { key: second }))).toEqual({ ...ours, idempotencyKey: null });
  expect((await listAll({ identifier: String(body.identifier), sort: "receivedAt" }, { key: second })).map(({ idempotencyKey }) => idempotencyKey)).toEqual([null, body.idempotencyKey]);
});

test("a key belongs to its application: another credential of it is the same sender", async (context) => {
  const body = fullDonation();
  const ours = recorded(await create(body));
  expect(replayed(await create(body, { key: keyOf(context, "writeOnly") }))).toEqual(ours);
});

test("a key belongs to its streamer: another one records anew", async (context) => {
  const body = fullDonation();
  const ours = recorded(await create(body));
  expect(recorded(await create(body, { key: keyOf(context, "other") })).id).not.toBe(ours.id);
});

test("a refused request burns no key", () =>
  holds(mutationsBut("idempotencyKey"), async ({ member, value, fault }) => {
    const idempotencyKey = freshKey();
    expectFaults(await create({ ...donation({ idempotencyKey }), [member]: value }), fault);
    recorded(await create(donation({ idempotencyKey })));
  }));

test("without a key two equal posts are two donations", () =>
  holds(donations, async (body) => {
    const ids = (await Promise.all([create(body), create(body)])).map((reply) => recorded(reply).id);
    expect(ids[0]).not.toBe(ids[1]);
  }));
