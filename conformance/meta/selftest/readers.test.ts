import { expect, test } from "vitest";
import { missingFor, readerFaults } from "../../../spec/check/operations.ts";
import { operations } from "../../suite/contract/contract.ts";
import { readers, unreadOperations } from "../../suite/models/derive/members.ts";

const listed = [...Object.keys(readers), ...Object.keys(unreadOperations)];

test("every operation that answers donations has a reader, and no other name has one", () => expect(readerFaults()).toEqual([]));

test("an operation that answers donations and has no reader is named", () =>
  expect(
    readerFaults(
      operations,
      listed.filter((name) => name !== "listDonations"),
    ),
  ).toEqual([expect.stringContaining("listDonations answers donations: say in conformance/suite/models/derive/members.ts how")]));

test("a reader of an operation that was removed from the contract is named", () =>
  expect(readerFaults(operations, [...listed, "getLatestDonation"])).toEqual([
    "getLatestDonation is no operation of the contract: take it out of conformance/suite/models/derive/members.ts",
  ]));

test("make check names all that a new operation lacks in the suite", () => {
  const [read, changed] = ["getNothing", "postNothing"].map((id) => ({
    ...(operations.find((one) => one.id === (id === "getNothing" ? "getDonation" : "voidDonation")) as (typeof operations)[number]),
    id,
  }));
  expect(missingFor([...operations, read as never, changed as never])).toEqual([
    expect.stringContaining("/get-nothing.test.ts is missing"),
    expect.stringContaining("/post-nothing.test.ts is missing"),
    expect.stringContaining("getNothing is missing: write into conformance/suite/contract/scopes.ts"),
    expect.stringContaining("postNothing is missing: write into conformance/suite/contract/scopes.ts"),
    expect.stringContaining("getNothing may read donations: add its paths to pathsOf"),
    expect.stringContaining("postNothing may change something: say in conformance/suite/contract/effects.ts"),
    expect.stringContaining("getNothing reads: add its paths to requestsByOperation in src/ops/upgrade/questions.ts"),
  ]);
});
