import fc from "fast-check";
import { describe, test } from "vitest";

import { donations, fullDonation } from "../harness/generators/donations.ts";
import { holds } from "../harness/generators/holds.ts";
import { donationWith, refuses, takes } from "../harness/oracle/verdicts.ts";

const required = ["donatorName", "amount"];
const optional = ["currency", "message", "identifier", "idempotencyKey", "skipAlert", "createdAt"];

const without = (...left: string[]): string =>
  donationWith({}, { ...fullDonation(), ...Object.fromEntries(left.map((member) => [member, undefined])) });

describe.each(required)("%s", (member) => {
  test("is required (interface 2.1)", () => refuses(without(member), member, "required"));

  test("is required, whatever else is there (interface 2.1)", () =>
    holds(donations, (body) => refuses(donationWith({}, { ...body, skipAlert: true, [member]: undefined }), member, "required"), {
      runs: 40,
    }));
});

describe.each(optional)("%s", (member) => {
  test("may be left out (interface 2.1)", () => takes(without(member), member));
  test("is enough beside the required ones (interface 2.1)", () =>
    takes(without(...optional.filter((other) => other !== member && other !== "skipAlert")), member));
});

test("the required members are enough (interface 2.1)", () => takes(donationWith({}, { donatorName: "สมชาย", amount: 20 })));

test("any of the optional members may be left out (interface 2.1)", () =>
  holds(fc.subarray(optional.filter((member) => member !== "skipAlert")), (left) => takes(without(...left)), { runs: 64 }));
