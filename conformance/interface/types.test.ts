import { describe, test } from "vitest";
import { holdsForEach } from "../suite/client/holds.ts";
import { donationWith, expectRefused } from "../suite/models/verdicts.ts";
import { fullDonation } from "../suite/values/donations.ts";

/** JSON texts of each type; many would be valid after a conversion. */
const values = {
  string: ['""', '"1"', '"100"', '"0.5"', '"true"', '"false"', '"null"', '"THB"', '"2026-11-20T19:30:00Z"'],
  number: ["0", "1", "-1", "0.5", "100", "1e3", "1795203000", "1795203000000"],
  boolean: ["true", "false"],
  null: ["null"],
  array: ["[]", "[100]", '["THB"]', '["สมชาย"]', "[true]", "[null]", "[[]]"],
  object: ["{}", '{"value":100}', '{"amount":100}', '{"":""}'],
};

type Type = keyof typeof values;

const types: [member: string, type: Type][] = [
  ["donatorName", "string"],
  ["amount", "number"],
  ["currency", "string"],
  ["message", "string"],
  ["identifier", "string"],
  ["idempotencyKey", "string"],
  ["skipAlert", "boolean"],
  ["createdAt", "string"],
];

const others = types.flatMap(([member, type]) =>
  (Object.keys(values) as Type[]).filter((other) => other !== type).map((other) => ({ member, type, other })),
);

describe.each(others)("$member", ({ member, type, other }) => {
  test(`${member} is of type ${type}, so ${other} is refused (interface 2.1)`, () =>
    holdsForEach(values[other], (text) =>
      expectRefused(donationWith({ [member]: text }, { ...fullDonation(), skipAlert: true }), member, "type"),
    ));
});
