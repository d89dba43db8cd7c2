import fc from "fast-check";
import { describe, test } from "vitest";

import { donations, freshName, fullDonation } from "../harness/generators/donations.ts";
import { holds, holdsForEach } from "../harness/generators/holds.ts";
import { donationWith, expectAccepted, expectRefused } from "../harness/oracle/verdicts.ts";

const required = ["donatorName", "amount"];
const optional = ["currency", "message", "identifier", "idempotencyKey", "skipAlert", "createdAt"];

const without = (...left: string[]): string =>
  donationWith({}, { ...fullDonation(), donatorName: freshName(), ...Object.fromEntries(left.map((member) => [member, undefined])) });

/** JSON texts of a good value under names that lenient readers take for the member's own. */
const misnamed: { [member: string]: string[] } = {
  donatorName: ["donatorname", "DonatorName", "DONATORNAME", "donator_name", "donator-name", " donatorName"].map(
    (name) => `"${name}":"สมชาย"`,
  ),
  amount: ["Amount", "AMOUNT", "amount ", "amount_", "amount[]"].map((name) => `"${name}":20`),
};

describe.each(required)("%s", (member) => {
  test(`${member} is required (interface 2.1)`, () => expectRefused(without(member), member, "required"));

  test(`${member} is required, whatever else is in the donation (interface 2.1)`, () =>
    holds(donations, (body) => expectRefused(donationWith({}, { ...body, skipAlert: true, [member]: undefined }), member, "required"), {
      runs: 40,
    }));

  test(`${member} is required under exactly this name (interface 2.1)`, () =>
    holdsForEach(misnamed[member] ?? [], (text) =>
      expectRefused(
        without(member).replace("{", () => `{${text},`),
        member,
        "required",
      ),
    ));
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
