import { randomUUID } from "node:crypto";
import fc from "fast-check";
import pg from "pg";
import { beforeEach, describe, expect, test } from "vitest";
import {
  create,
  createRaw,
  expectFaults,
  expectProblem,
  get,
  listAll,
  readDonation,
  recorded,
  replayed,
  takeBack,
} from "../../suite/client/api.ts";
import { holds, holdsForEach } from "../../suite/client/holds.ts";
import { broken, mutationsBut } from "../../suite/client/mutations.ts";
import { addStreamerWithKeys } from "../../suite/client/operator.ts";
import { lengthsOf, maxAmount } from "../../suite/contract/interface.ts";
import { databaseUrl } from "../../suite/servers/database.ts";
import { type Body, donation, donations, freshIdentifier, freshKey, fullDonation } from "../../suite/values/donations.ts";
import { about } from "../../suite/values/score.ts";
import { keyOf, operatorOf } from "../../suite/values/target.ts";

beforeEach(() => about("idempotencyKey"));

test("the same idempotency key and donation again is answered 200 with the donation recorded first", () =>
  holds(
    donations,
    async (body) => {
      const idempotencyKey = freshKey();
      const original = recorded(await create({ ...body, idempotencyKey }));
      expect(replayed(await create({ ...body, idempotencyKey }))).toEqual(original);
    },
    { runs: 100 },
  ));

test("a replay carries the Location of the donation", async () => {
  const body = fullDonation();
  const [first, second] = [await create(body), await create(body)];
  expect(second.headers.location).toBe(first.headers.location);
});

test("a donation that is repeated after it was voided is answered as it stands now, and nothing is recorded", async () => {
  const body = fullDonation();
  const original = recorded(await create(body));
  const voided = await takeBack(original, "refund");
  expect(replayed(await create(body))).toEqual(voided);
  expect(await listAll({ identifier: String(body.identifier), status: "all" })).toEqual([voided]);
  expectProblem(await create({ ...body, amount: 1 }), 422, "idempotency_key_reused");
});

test("an idempotency key is kept for ever: a donation that was received 400 days ago is replayed", async (context) => {
  const operator = operatorOf(context);
  const { key } = await addStreamerWithKeys(operator, `aged-${randomUUID().slice(0, 8)}`, "write:donations read:donations");
  const body = fullDonation();
  const { id } = recorded(await create(body, { key }));
  const database = new pg.Client({ connectionString: await databaseUrl(operator.env) });
  await database.connect();
  const aged = await database
    .query("update donations set received_at = received_at - interval '400 days' where id = $1", [id])
    .finally(() => database.end());
  expect(aged.rowCount).toBe(1);
  expect(replayed(await create(body, { key })).id).toBe(id);
});

test("100 concurrent donations with one idempotency key: one is recorded and 99 are replays of it", async () => {
  const body = fullDonation();
  const replies = await Promise.all(Array.from({ length: 100 }, () => create(body)));
  const originals = replies.filter(({ status }) => status === 201).map(recorded);
  expect(originals.length).toBe(1);
  for (const reply of replies.filter(({ status }) => status !== 201)) expect(replayed(reply)).toEqual(originals[0]);
  expect(await listAll({ identifier: String(body.identifier) })).toEqual(originals);
});

test("many concurrent donations record each idempotency key once, and each answer is the right one", async () => {
  const identifier = freshIdentifier();
  const bodies = Array.from({ length: 200 }, (_, index) =>
    donation({ identifier, amount: 1 + (index % 40), idempotencyKey: `${identifier}:${index % 40}` }),
  );
  await holdsForEach(
    bodies,
    async (body) => {
      const reply = await create(body);
      expect((reply.status === 201 ? recorded : replayed)(reply)).toMatchObject(body);
    },
    64,
  );
  expect((await listAll({ identifier })).map(({ amount }) => amount).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 40 }, (_, index) => index + 1),
  );
});

test("two equal concurrent donations with one idempotency key: one is recorded and the other is a replay of it", () =>
  holds(fc.integer({ min: 1, max: 99 }), async (amount) => {
    const body = donation({ idempotencyKey: freshKey(), amount });
    const replies = await Promise.all([create(body), create(body)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 201]);
  }));

test("two different concurrent donations with one idempotency key: one is recorded and the other refused", () =>
  holds(fc.integer({ min: 2, max: 99 }), async (amount) => {
    const idempotencyKey = freshKey();
    const replies = await Promise.all([create(donation({ idempotencyKey })), create(donation({ idempotencyKey, amount: 100 + amount }))]);
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 422]);
  }));

test("idempotency keys are compared exactly: case, blanks and normalisation count", async () => {
  const key = freshKey();
  for (const idempotencyKey of [`${key}a`, `${key}A`, `${key}a `, `${key}\u00e9`, `${key}e\u0301`, `${key}\ufe0f`])
    recorded(await create(donation({ idempotencyKey })));
});

test.for(["0", "false", "null"])(
  "the idempotency key %j is a key as any other: sent twice, it records one donation",
  async (idempotencyKey, context) => {
    const operator = operatorOf(context); // an application of its own, because keys are used up for ever
    const { key } = await addStreamerWithKeys(operator, `keys-${randomUUID().slice(0, 8)}`, "write:donations");
    const body = donation({ idempotencyKey });
    const { id } = recorded(await create(body, { key }));
    expect(replayed(await create(body, { key })).id).toBe(id);
  },
);

test.each(["constructor", "__proto__", "toString"])(
  "the idempotency key %j, which every JavaScript object has as a name, is a key as any other: sent twice, it records one donation",
  async (idempotencyKey) => {
    // The same body in every run: keys are used up for ever, so the first answer may be a replay of an earlier run.
    const body = { donatorName: "สมชาย", amount: 20, skipAlert: true, createdAt: "2026-11-20T19:30:00Z", idempotencyKey };
    const first = await create(body);
    const { id } = (first.status === 200 ? replayed : recorded)(first);
    expect(replayed(await create(body)).id).toBe(id);
  },
);

test("an idempotency key belongs to its application: another one of the streamer records anew and reads null", async (context) => {
  const body = fullDonation();
  const second = keyOf(context, "secondApplication");
  const ours = recorded(await create(body));
  const theirs = recorded(await create(body, { key: second }));
  expect(theirs.id).not.toBe(ours.id);
  expect(readDonation(await get(ours.id, { key: second }))).toEqual({ ...ours, idempotencyKey: null });
  expect(
    (await listAll({ identifier: String(body.identifier), sort: "receivedAt" }, { key: second })).map(
      ({ idempotencyKey }) => idempotencyKey,
    ),
  ).toEqual([null, body.idempotencyKey]);
});

test("one idempotency key of two applications in the same moment is two keys: each has its own donation recorded", async (context) => {
  const second = keyOf(context, "secondApplication");
  const pairs = Array.from({ length: 8 }, () => fullDonation());
  const replies = await Promise.all(pairs.map((body) => Promise.all([create(body), create(body, { key: second })])));
  const ids = replies.flat().map((reply) => recorded(reply).id);
  expect(new Set(ids).size).toBe(ids.length);
});

test("an idempotency key belongs to its application: another credential of it is the same sender", async (context) => {
  const body = fullDonation();
  const ours = recorded(await create(body));
  expect(replayed(await create(body, { key: keyOf(context, "writeOnly") }))).toEqual(ours);
});

test("an idempotency key belongs to its streamer: another one records anew", async (context) => {
  const body = fullDonation();
  const ours = recorded(await create(body));
  expect(recorded(await create(body, { key: keyOf(context, "other") })).id).not.toBe(ours.id);
});

test("a refused request uses up no idempotency key, and is refused for the same fault under a used one", () =>
  holds(mutationsBut("idempotencyKey"), async (mutation) => {
    const idempotencyKey = freshKey();
    const refuse = async (): Promise<void> => expectFaults(await create(broken(donation({ idempotencyKey }), mutation)), mutation.fault);
    await refuse();
    recorded(await create(donation({ idempotencyKey })));
    await refuse();
  }));

test("the header Idempotency-Key is no idempotency key: two equal donations with it and without the member are recorded as two", async () => {
  const headers = { "Idempotency-Key": freshKey() };
  const body = donation({ skipAlert: true });
  expect(recorded(await create(body, { headers })).id).not.toBe(recorded(await create(body, { headers })).id);
});

test("two equal donations without an idempotency key are recorded as two", () =>
  holds(donations, async (body) => {
    const ids = (await Promise.all([create(body), create(body)])).map((reply) => recorded(reply).id);
    expect(ids[0]).not.toBe(ids[1]);
  }));

/** Expects both bodies to be the same donation: the second one replays the first. */
async function sameDonation(first: Body, second: Body): Promise<void> {
  const idempotencyKey = freshKey();
  const original = recorded(await create({ ...first, idempotencyKey }));
  expect(replayed(await create({ ...second, idempotencyKey }))).toEqual(original);
}

/** Expects the second body to be another donation: it is refused, and nothing changes, not even for the first one. */
async function otherDonation(first: Body, second: Body): Promise<void> {
  const idempotencyKey = freshKey();
  const original = recorded(await create({ ...first, idempotencyKey }));
  expectProblem(await create({ ...second, idempotencyKey }), 422, "idempotency_key_reused");
  expect(readDonation(await get(original.id))).toEqual(original);
  expect(replayed(await create({ ...first, idempotencyKey })), "the first donation, sent again").toEqual(original);
}

const other: Body = {
  donatorName: "สมหญิง",
  amount: 123.46,
  message: "อื่น",
  identifier: "other",
  skipAlert: false,
  createdAt: "2026-11-20T19:30:00.001+07:00",
};

test.each(Object.keys(other))("the same idempotency key with another %s is refused with 422, and nothing changes", (member) => {
  const first = fullDonation();
  return otherDonation(first, { ...first, [member]: other[member] });
});

test.each([...Object.entries(other), ["donatorName", "สมชาย ใจดี "], ["message", "สู้ๆ ครับ\n"]])(
  "of two donations with one idempotency key and another %s, %j, that are sent at once one is recorded and the other refused",
  async (member, value) => {
    const firsts = Array.from({ length: 6 }, fullDonation);
    const replies = await Promise.all(firsts.flatMap((first) => [create(first), create({ ...first, [member]: value })]));
    const statuses = replies.map(({ status }) => status);
    expect(firsts.map((_, index) => statuses.slice(2 * index, 2 * index + 2).sort())).toEqual(firsts.map(() => [201, 422]));
  },
);

test.each(["message", "identifier", "skipAlert", "createdAt"])(
  "the same idempotency key without %s is refused with 422: absent differs from what was sent",
  (member) => {
    const first = fullDonation();
    return otherDonation(first, { ...first, [member]: undefined });
  },
);

test.each(["message", "identifier", "skipAlert", "createdAt"])(
  "the same idempotency key with %s added is refused with 422: what was sent differs from absent",
  (member) => otherDonation(donation({ skipAlert: undefined }), donation({ skipAlert: undefined, [member]: fullDonation()[member] })),
);

describe("donations are compared as they are stored", () => {
  const at = (createdAt: string): Body => donation({ createdAt });
  test.each([
    ["the default currency and none", donation({ currency: "THB" }), donation()],
    ["the default message and none", donation({ message: "" }), donation()],
    ["the default skipAlert and none", donation({ skipAlert: false }), donation({ skipAlert: undefined })],
    ["an empty identifier and none", donation({ identifier: "" }), donation()],
    ["an instant at two offsets", at("2026-11-20T19:30:00+07:00"), at("2026-11-20T12:30:00Z")],
    ["an instant with and without seconds", at("2026-11-20T12:30:00.000Z"), at("2026-11-20T12:30Z")],
    ["an instant with fractions that truncate alike", at("2026-11-20T12:30:00.9999Z"), at("2026-11-20T12:30:00.999Z")],
    ["an instant beyond UTC's years at two offsets", at("0000-01-01T00:00+07:00"), at("0000-01-01T01:00+08:00")],
    ["NUL and U+FFFD in a message", donation({ message: "\u0000" }), donation({ message: "\ufffd" })],
    ["NUL and U+FFFD in a name", donation({ donatorName: "a\u0000" }), donation({ donatorName: "a\ufffd" })],
    ["NUL and U+FFFD in an identifier", donation({ identifier: "a\u0000" }), donation({ identifier: "a\ufffd" })],
    ["a lone surrogate and U+FFFD in an identifier", donation({ identifier: "a\ud800" }), donation({ identifier: "a\ufffd" })],
  ])("a replay with an equal value is accepted: %s are the same", (_, first, second) => sameDonation(first, second));

  test("a replay with another spelling of the same double is accepted", async () => {
    const idempotencyKey = freshKey();
    const original = recorded(await create({ donatorName: "a", amount: maxAmount, idempotencyKey }));
    const reply = await createRaw(`{"donatorName":"a","amount":${maxAmount}.00000000001,"idempotencyKey":"${idempotencyKey}"}`);
    expect(replayed(reply)).toEqual(original);
  });

  test.each([
    ["neighbouring doubles", donation({ amount: 0.1 }), donation({ amount: 0.10000000000000002 })],
    ["NFC and NFD", donation({ message: "\u00e9" }), donation({ message: "e\u0301" })],
    ["names that differ in case", donation({ donatorName: "A" }), donation({ donatorName: "a" })],
    ["names that differ in blanks", donation({ donatorName: "a" }), donation({ donatorName: "a " })],
    ["names that are one number", donation({ donatorName: "1e3" }), donation({ donatorName: "1000" })],
    ["messages that are one number", donation({ message: "0e1" }), donation({ message: "0e2" })],
    ["identifiers that are one number", donation({ identifier: "007" }), donation({ identifier: "7" })],
    ["the message 0 and none", donation({ message: "0" }), donation()],
    ["the identifier 0 and none", donation({ identifier: "0" }), donation()],
    ["instants a millisecond apart", at("2026-11-20T12:30:00.998Z"), at("2026-11-20T12:30:00.999Z")],
  ])("a replay with a different value is refused: %s are not the same", (_, first, second) => otherDonation(first, second));

  test.each([
    ["NUL", "\u0000"],
    ["lone surrogates", "\udc00"],
  ])("an idempotencyKey of the longest length with %s is the key with U+FFFD instead, and is answered so", async (_, character) => {
    const start = freshKey();
    const keyOf = (one: string): string => start + one.repeat(lengthsOf("idempotencyKey").max - start.length);
    const original = recorded(await create(donation({ idempotencyKey: keyOf(character) })));
    expect(original.idempotencyKey).toBe(keyOf("\ufffd"));
    expect(replayed(await create(donation({ idempotencyKey: keyOf("\ufffd") })))).toEqual(original);
  });

  test("a replay with the createdAt that was answered, where none was sent, is refused", async () => {
    const idempotencyKey = freshKey();
    const { createdAt } = recorded(await create(donation({ idempotencyKey })));
    expectProblem(await create(donation({ idempotencyKey, createdAt })), 422, "idempotency_key_reused");
  });
});
