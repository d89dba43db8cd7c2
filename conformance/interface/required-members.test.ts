import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { holds, holdsForEach } from "../suite/client/holds.ts";
import { createAny, donationWith, excerptOf, expectAccepted, expectRefused, isRefused } from "../suite/models/verdicts.ts";
import { donations, freshName, fullDonation } from "../suite/values/donations.ts";
import { tried } from "../suite/values/score.ts";

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
