// Whole donations, what must be in them, and where they are sent.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { holds, holdsForEach } from "../suite/client/holds.ts";
import { lengthsOf } from "../suite/contract/interface.ts";
import { offline } from "../suite/contract/offline-rules.ts";
import { createAny, donationWith, excerptOf, expectAccepted, expectRefused, isAccepted, isRefused } from "../suite/models/verdicts.ts";
import { type Break, breaks, type Rule, rules } from "../suite/values/broken-rules.ts";
import { type Body, donations, freshKey, freshName, fullDonation, unrepeated, unrepeatedDonation } from "../suite/values/donations.ts";
import { tried } from "../suite/values/score.ts";
import { alphabets, fitting, textOf } from "../suite/values/text.ts";

/** Whole donations: any valid members, and at most one broken rule. */
const any = donations.map((body): Body => ({ ...body, skipAlert: true }));

/** Without the empty idempotencyKey: under it one donation only is sent (donationWithEmptyKey). */
const { "idempotencyKey too short": _emptyKey, ...sent } = breaks;

const breaking = (body: Body, { member, text }: Break): string =>
  donationWith(text === undefined ? {} : { [member]: text }, { ...body, [member]: undefined });

describe("a donation", () => {
  test("a donation that keeps every rule is accepted (interface 2.1)", () =>
    holds(any, (body) => expectAccepted(donationWith({}, unrepeatedDonation(body))), { runs: 300 }));

  test("a donation with every member at its longest is accepted (interface 2.1)", () =>
    holds(
      fc
        .constantFrom(...alphabets)
        .chain((alphabet) =>
          fc.tuple(...["donatorName", "message", "identifier"].map((member) => textOf(lengthsOf(member).max, alphabet))),
        ),
      ([name = "", text = "", identity = ""]) => {
        const donatorName = fitting(name, lengthsOf("donatorName").max);
        const message = fitting(text, lengthsOf("message").max);
        const identifier = unrepeated(identity, "identifier");
        const idempotencyKey = freshKey().padEnd(lengthsOf("idempotencyKey").max, "ก");
        const createdAt = `2026-10-31T23:59:59.${"9".repeat(30)}+23:59`;
        return expectAccepted(
          donationWith(
            {},
            { donatorName, amount: 12.345678901234567, currency: "THB", message, identifier, idempotencyKey, skipAlert: true, createdAt },
          ),
        );
      },
      { runs: 30 },
    ));

  test.each(Object.entries(sent))("a donation with %s is refused, whatever else is in it (interface 2)", (_, broken) =>
    holds(fc.tuple(any, broken), ([body, one]) => expectRefused(breaking(body, one), one.member, one.rule), { runs: 24 }),
  );

  test("every rule of the oracle is broken by some case of this file, except those of the body itself", offline, () => {
    const broken = new Set(Object.values(breaks).flatMap((one) => fc.sample(one, { seed: 1, numRuns: 1 }).map(({ rule }) => rule)));
    const all = (Object.keys(rules) as Rule[]).filter((rule) => rule !== "json" && rule !== "object");
    expect([...broken].sort()).toEqual(all.sort());
  });
});

// Members that must be sent, and those that may be left out.

const required = ["donatorName", "amount"];
const optional = ["currency", "message", "identifier", "idempotencyKey", "skipAlert", "createdAt"];

const without = (...left: string[]): string =>
  donationWith({}, { ...fullDonation(), donatorName: freshName(), ...Object.fromEntries(left.map((member) => [member, undefined])) });

const goodTexts: { [member: string]: string } = { donatorName: '"สมชาย"', amount: "20" };

/** Names that lenient readers take for the member's own. */
const misnames: { [member: string]: string[] } = {
  donatorName: ["donatorname", "DonatorName", "DONATORNAME", "donator_name", "donator-name", " donatorName"],
  amount: ["Amount", "AMOUNT", "amount ", "amount_", "amount[]"],
};

const whole = `{"donatorName":${goodTexts.donatorName},"amount":${goodTexts.amount},"skipAlert":true}`;

/** JSON texts of a good value that is elsewhere: under another name, in an object that envelopes the donation, or in its prototype. */
const misplaced = (member: string): string[] => [
  ...(misnames[member] ?? []).map((name) => `"${name}":${goodTexts[member]}`),
  ...["donation", "data"].map((name) => `"${name}":${whole}`),
  `"__proto__":{"${member}":${goodTexts[member]}}`,
];

describe.each(required)("%s", (member) => {
  test(`${member} is required (interface 2.1)`, () => expectRefused(without(member), member, "required"));

  test(`${member} is required, whatever else is in the donation (interface 2.1)`, () =>
    holds(donations, (body) => expectRefused(donationWith({}, { ...body, skipAlert: true, [member]: undefined }), member, "required"), {
      runs: 40,
    }));

  test(`${member} is required under exactly this name, and not inside of another member (interface 2.1)`, () =>
    holdsForEach(misplaced(member), (text) =>
      expectRefused(
        without(member).replace("{", () => `{${text},`),
        member,
        "required",
      ),
    ));

  test(`${member} in the URL is no member of the body (interface 4.1)`, async () => {
    tried(member);
    const value = encodeURIComponent(String(JSON.parse(goodTexts[member] ?? "")));
    const reply = await createAny(without(member), { path: `/api/v1/donations?${member}=${value}` });
    expect(isRefused(reply), excerptOf(reply)).toBe(true);
  });
});

describe.each(optional)("%s", (member) => {
  test(`${member} may be left out (interface 2.1)`, () => expectAccepted(without(member), member));
  test(`${member} is enough beside the required members (interface 2.1)`, () =>
    expectAccepted(without(...optional.filter((other) => other !== member && other !== "skipAlert")), member));
});

test("a donation with the required members alone is accepted (interface 2.1)", () =>
  expectAccepted(donationWith({}, { donatorName: freshName(), amount: 20 })));

test("a donation without any of the optional members is accepted (interface 2.1)", () =>
  holds(fc.subarray(optional.filter((member) => member !== "skipAlert")), (left) => expectAccepted(without(...left)), { runs: 64 }));

// The path that creates donations.

describe("paths", () => {
  test("donations are created by POST /api/v1/donations (interface 4.1, 9.1)", async () => {
    tried("path");
    const reply = await createAny(donationWith({ skipAlert: "true" }));
    expect(isAccepted(reply), excerptOf(reply)).toBe(true);
  });
});

// What the interface leaves to the server may be accepted or refused. A status of 5xx is neither: the server says that it has failed.

const withMember = (text: string): string => donationWith({}).replace("{", () => `{${text},`);
const withMessage = (written: string): string => donationWith({ message: `"${written}"` });
/** A text of which this is a part, and which was never sent before. */
const withKey = (member: "identifier" | "idempotencyKey", written: string): string =>
  donationWith({ [member]: `"${freshKey()}${written}"` });

const undecided: [what: string, body: () => string | Uint8Array][] = [
  ["an unknown member", () => withMember('"created_at":1')],
  ["a member named __proto__", () => withMember('"__proto__":{"skipAlert":1}')],
  ["a member named constructor", () => withMember('"constructor":{"prototype":null}')],
  ["a member with an empty name", () => withMember('"":0')],
  ["a hundred unknown members", () => withMember(Array.from({ length: 100 }, (_, at) => `"m${at}":null`).join())],
  ["an unknown member of five thousand digits", () => withMember(`"m":${"9".repeat(5_000)}`)],
  ["a member twice", () => donationWith({ amount: "1" }).replace("}", ',"amount":2}')],
  ["a member twice, once with another type", () => donationWith({ amount: "1" }).replace("}", ',"amount":"2"}')],
  ["the first half of a surrogate pair", () => withMessage("\\ud83d")],
  ["the second half of a surrogate pair", () => withMessage("\\ude00")],
  ["a surrogate pair the wrong way round", () => withMessage("\\ude00\\ud83d")],
  ["half a surrogate pair in an unknown name", () => withMember('"\\ud800":1')],
  ["NUL", () => withMessage("a\\u0000b")],
  ["NUL in its identifier", () => withKey("identifier", "\\u0000")],
  ["NUL in its idempotencyKey", () => withKey("idempotencyKey", "\\u0000")],
  ["half a surrogate pair in its identifier", () => withKey("identifier", "\\ud800")],
  ["half a surrogate pair in its idempotencyKey", () => withKey("idempotencyKey", "\\ud800")],
  ["half a surrogate pair as its createdAt", () => donationWith({ createdAt: '"\\ud800"' })],
  ["half a surrogate pair as its currency", () => donationWith({ currency: '"\\ud800"' })],
  ["control characters", () => withMessage("\\u0001\\u001b[31m\\u007f\\u0085")],
  ["line breaks", () => withMessage("a\\r\\nb\\u2028c")],
  ["a noncharacter", () => withMessage("\\uffff")],
  ["a byte order mark before the body", () => `\ufeff${donationWith({})}`],
  ["bytes that are no UTF-8", () => Buffer.from(donationWith({ message: '"\u00ff"' }), "latin1")],
  ["an amount that no double tells from 0", () => donationWith({ amount: "1e-400" })],
  ["an amount that no double tells from the largest", () => donationWith({ amount: "1000000.00000000001" })],
  ["an amount with an exponent of thousands of digits", () => donationWith({ amount: `1e-${"9".repeat(4_000)}` })],
  ["an amount of thousands of digits", () => donationWith({ amount: `0.${"3".repeat(4_000)}` })],
  ["an unknown member that nests five hundred arrays", () => withMember(`"deep":${"[".repeat(500)}${"]".repeat(500)}`)],
  ["a createdAt in the year 0000", () => donationWith({ createdAt: '"0000-02-29T00:00Z"' })],
  ["a createdAt that leaves the year 9999 in UTC", () => donationWith({ createdAt: '"9999-12-31T23:59-23:59"' })],
  ["a createdAt with a fraction of a thousand digits", () => donationWith({ createdAt: `"2026-11-20T19:30:00.${"9".repeat(1_000)}Z"` })],
];

describe("createDonation", () => {
  test.each(undecided)("a donation with %s is accepted or refused, and the server does not fail (interface 4.1)", async (_, body) => {
    tried("body");
    const reply = await createAny(body());
    expect(isAccepted(reply) || isRefused(reply), excerptOf(reply)).toBe(true);
  });
});
