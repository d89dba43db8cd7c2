import { beforeEach, describe, expect, test } from "vitest";
import { create, createRaw, expectProblem, get, readDonation, recorded, replayed } from "../../suite/client/api.ts";
import { lengthsOf, maxAmount } from "../../suite/contract/interface.ts";
import { type Body, donation, freshKey, fullDonation } from "../../suite/values/donations.ts";
import { about } from "../../suite/values/score.ts";

beforeEach(() => about("idempotencyKey"));

/** Expects both bodies to be the same donation: the second one replays the first. */
async function sameDonation(first: Body, second: Body): Promise<void> {
  const idempotencyKey = freshKey();
  const original = recorded(await create({ ...first, idempotencyKey }));
  expect(replayed(await create({ ...second, idempotencyKey }))).toEqual(original);
}

/** Expects the second body to be another donation: it is refused, and nothing changes. */
async function otherDonation(first: Body, second: Body): Promise<void> {
  const idempotencyKey = freshKey();
  const original = recorded(await create({ ...first, idempotencyKey }));
  expectProblem(await create({ ...second, idempotencyKey }), 422, "idempotency_key_reused");
  expect(readDonation(await get(original.id))).toEqual(original);
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
