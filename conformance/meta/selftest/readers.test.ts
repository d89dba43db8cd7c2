import { expect, test } from "vitest";
import { readerFaults } from "../../../spec/check/operations.ts";
import { readers, unreadOperations } from "../../suite/derive/readers.ts";
import { operations } from "../../suite/oracle/contract.ts";

const listed = [...Object.keys(readers), ...Object.keys(unreadOperations)];

test("every operation that answers donations has a reader, and no other name has one", () => expect(readerFaults()).toEqual([]));

test("an operation that answers donations and has no reader is named", () =>
  expect(
    readerFaults(
      operations,
      listed.filter((name) => name !== "listDonations"),
    ),
  ).toEqual([expect.stringContaining("listDonations answers donations: say in conformance/suite/derive/readers.ts how")]));

test("a reader of an operation that was removed from the contract is named", () =>
  expect(readerFaults(operations, [...listed, "getLatestDonation"])).toEqual([
    "getLatestDonation is no operation of the contract: take it out of conformance/suite/derive/readers.ts",
  ]));
