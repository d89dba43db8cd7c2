// The suite's own table of scopes, compared with the published contract.

import { describe, expect, test } from "vitest";

import { operations } from "../../suite/contract/contract.ts";
import { needs, scopeFaults } from "../../suite/contract/scopes.ts";

describe("the table of scopes", () => {
  test("the table of scopes agrees with the published contract", () => expect(scopeFaults(operations)).toEqual([]));

  test("the table of scopes reveals a wrong scope in the contract", () => {
    const mistaken = operations.map((one) => (one.id === "getDonation" ? { ...one, scopes: ["read:alerts"] } : one));
    expect(scopeFaults(mistaken)).toEqual(["getDonation needs read:donations, and the contract asks for read:alerts"]);
  });

  test("the table of scopes reveals an operation that requires no scope any more", () => {
    const open = operations.map((one) => (one.id === "listDonations" ? { ...one, scopes: [] } : one));
    expect(scopeFaults(open)).toEqual(["listDonations needs read:donations, and the contract asks for any"]);
  });

  test("an operation missing in the table of scopes, and one that was removed from the contract, are reported", () => {
    const { getMe: _, ...others } = needs;
    expect(scopeFaults(operations, { ...others, getNothing: "none" })).toEqual([
      "getMe is missing: write into conformance/suite/contract/scopes.ts which scope it needs, and why",
      "getNothing is no operation of the contract: take it out of conformance/suite/contract/scopes.ts",
    ]);
  });
});
