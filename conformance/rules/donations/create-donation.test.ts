import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";

import amountCases from "../../cases/amounts.json" with { type: "json" };
import textCases from "../../cases/texts.json" with { type: "json" };
import { create, createRaw, type Donation, expectFaults, expectProblem, get, recorded } from "../../suite/client/api.ts";
import { holds, holdsForAll } from "../../suite/client/holds.ts";
import { broken, wrongTypes } from "../../suite/client/mutations.ts";
import { maxAmount, members } from "../../suite/contract/interface.ts";
import {
  amounts,
  donation,
  donations,
  freshKey,
  fullDonation,
  nextDown,
  nextUp,
  tiniest,
  wrongAmounts,
} from "../../suite/values/donations.ts";
import { about } from "../../suite/values/score.ts";
import { type Alphabet, allAlphabets, textOf } from "../../suite/values/text.ts";

const texts = members.filter(({ maxLength }) => maxLength !== undefined);

test("every donation that keeps interface 2.1 is recorded with 201", () =>
  holds(donations, async (body) => void recorded(await create(body)), { runs: 300 }));

test("a 201 of createDonation carries the Location of the donation", async () => {
  const reply = await create(donation());
  expect(reply.headers.location).toBe(`/api/v1/donations/${recorded(reply).id}`);
  expect(reply.headers["idempotent-replayed"]).toBeUndefined();
});

test("an external donation comes from source and channel external, with an alert (interface 4.1)", async () => {
  const { source, channel, alert } = recorded(await create(donation({ skipAlert: false })));
  expect([source, channel]).toEqual(["external", "external"]);
  expect(["preparing", "queued", "leased", "playing", "shown"]).toContain(alert.status);
});

test("a donation with skipAlert: true is recorded without an alert", async () => {
  about("skipAlert");
  const { alert } = recorded(await create(donation({ skipAlert: true })));
  expect(alert).toEqual({ status: "skipped", reason: "skip_alert", shownAt: null, masked: false });
});

describe.each(texts)("$member", ({ member, minLength = 0, maxLength = 0 }) => {
  beforeEach(() => about(member));

  // So short a key may have been used before: by an equal donation (200), or by another rule's donation.
  const accepts = async (value: string): Promise<void> => {
    const reply = await create(donation({ [member]: value }));
    if (member === "idempotencyKey" && [...value].length <= 2 && reply.status === 422)
      return expectProblem(reply, 422, "idempotency_key_reused");
    expect(reply.status, reply.text).toBeOneOf(member === "idempotencyKey" ? [200, 201] : [201]);
    expect((reply.body as { data: Record<string, unknown> }).data[member]).toBe(value || (member === "identifier" ? null : ""));
  };
  const edges = allAlphabets.flatMap((alphabet) =>
    [minLength, minLength + 1, maxLength - 1, maxLength].map((length) => ({ alphabet, length })),
  );

  test.each(allAlphabets)(`${member} of ${minLength} to ${maxLength} code points is accepted (interface 2.1): %s`, (alphabet: Alphabet) =>
    holds(fc.oneof(...edges.filter((edge) => edge.alphabet === alphabet).map(({ length }) => textOf(length, alphabet))), accepts, {
      runs: 12,
    }),
  );

  test(`${member} of ${maxLength + 1} code points is too long (interface 2.1)`, () =>
    holds(
      fc.constantFrom(...allAlphabets).chain((alphabet) => textOf(maxLength + 1, alphabet)),
      async (value) => expectFaults(await create(donation({ [member]: value })), `/${member} too_long`),
    ));

  if (minLength > 0)
    test(`${member} of no code points is too short (interface 2.1)`, async () =>
      expectFaults(await create(donation({ [member]: "" })), `/${member} too_short`));
});

describe("amount", () => {
  beforeEach(() => about("amount"));

  test(`amount above 0 and at most ${maxAmount} is accepted and answered as the same double (interface 2.1)`, () =>
    holds(amounts, async (amount) => expect(recorded(await create(donation({ amount }))).amount).toBe(amount), { runs: 150 }));

  test(`amount of 0 or less or above ${maxAmount} is refused with out_of_range (interface 2.1)`, () =>
    holds(wrongAmounts, async (amount) => expectFaults(await create(donation({ amount })), "/amount out_of_range"), { runs: 150 }));

  test("amounts next to each bound fall on their own side, to the double (interface 2.1)", async () => {
    await holdsForAll([tiniest, nextDown(maxAmount), maxAmount], async (amount) =>
      expect(recorded(await create(donation({ amount }))).amount).toBe(amount),
    );
    await holdsForAll([-tiniest, 0, nextUp(maxAmount)], async (amount) =>
      expectFaults(await create(donation({ amount })), "/amount out_of_range"),
    );
  });

  test.each(["", "-"])("an integer of 5000 digits is out_of_range: with the sign %j (interface 2.1)", async (sign) =>
    expectFaults(await createRaw(`{"donatorName":"a","amount":${sign}${"9".repeat(5_000)}}`), "/amount out_of_range"),
  );

  const zeros = "0".repeat(5_000);
  test.each<[string, string, number]>([
    ["a fraction of 5000 digits", `0.${"3".repeat(5_000)}`, 0.3333333333333333],
    ["5000 zeros behind the upper bound", `${maxAmount}.${zeros}`, maxAmount],
    ["5000 zeros before its first digit, and an exponent that makes up for them", `0.${zeros}1e5001`, 1],
    ["an exponent of 5001 digits", `1e${zeros}6`, 1e6],
  ])("an amount of thousands of characters is read as the double that it names: %s", async (_, text, expected) =>
    expect(recorded(await createRaw(`{"donatorName":"a","amount":${text}}`)).amount).toBe(expected),
  );

  test.each([
    ["5001 digits of which the last is 1", `0.${zeros}1`],
    ["an exponent of 5000 digits, below 0", `1e-${"9".repeat(5_000)}`],
  ])("an amount of thousands of characters that is read as 0 is out_of_range: %s", async (_, text) =>
    expectFaults(await createRaw(`{"donatorName":"a","amount":${text}}`), "/amount out_of_range"),
  );

  test.each(amountCases)("amount $data: $description", async ({ data, valid, expected, fault }) => {
    const reply = await createRaw(`{"donatorName":"a","amount":${data}}`);
    if (valid) expect(recorded(reply).amount).toBe(expected);
    else expectFaults(reply, `/amount ${fault}`);
  });
});

describe.each(members)("$member", (member) => {
  beforeEach(() => about(member.member));

  test(`${member.member} of any type but ${member.type}, null included, is refused (interface 2.1)`, () =>
    holds(wrongTypes(member), async (mutation) => expectFaults(await create(broken(donation(), mutation)), mutation.fault), { runs: 30 }));

  test(`${member.member} ${member.required ? "is required" : "may be left out"} (interface 2.1)`, async () => {
    const reply = await create({ ...fullDonation(), [member.member]: undefined });
    if (member.required) expectFaults(reply, `/${member.member} required`);
    else if (member.defaultValue !== undefined) expect(recorded(reply)[member.member as keyof Donation]).toBe(member.defaultValue);
    else expect(recorded(reply)).toBeDefined();
  });
});

test.each(["thb", "Thb", "THB ", "", "USD", "บาท"])("currency %j is refused: it is not THB (interface 2.1)", async (currency) => {
  about("currency");
  expectFaults(await create(donation({ currency })), "/currency invalid_enum");
});

test.each(textCases)("donation text: $description", async ({ member, json, expected }) => {
  about(member);
  const key = freshKey();
  const donation = recorded(await createRaw(`{"donatorName":"a","amount":1,"identifier":"${key}",${JSON.stringify(member)}:${json}}`));
  expect(donation).toMatchObject({ [member]: expected });
  expect((await get(donation.id)).body).toMatchObject({ data: { [member]: expected } });
});
