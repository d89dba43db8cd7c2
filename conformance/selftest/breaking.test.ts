import { describe, expect, test } from "vitest";

import document from "../../generated/openapi.json" with { type: "json" };
import { breakingChanges } from "../breaking/contracts.ts";

// Edits of the real contract, each with what must be said about it. Against the same contract nothing breaks.

// biome-ignore lint/suspicious/noExplicitAny: a document to cut about in
type Node = any;

const edited = (edit: (contract: Node) => void): string[] => {
  const contract = structuredClone(document) as Node;
  edit(contract);
  return breakingChanges(document, contract);
};

const donation = ({ components }: Node): Node => components.schemas.ExternalDonation;
const create = ({ paths }: Node): Node => paths["/api/v1/donations"].post;
const list = ({ paths }: Node): Node => paths["/api/v1/donations"].get;

describe("what breaks is named", () => {
  const breaks: [title: string, edit: (contract: Node) => void, said: string][] = [
    ["an operation goes", ({ paths }) => delete paths["/api/v1/me"], "getMe: GET /api/v1/me is gone"],
    ["an operation is renamed", (c) => (create(c).operationId = "postDonation"), "createDonation is called postDonation now"],
    ["a member is required", (c) => donation(c).required.push("message"), "createDonation request/message: is required now"],
    ["a sealed body loses a member", (c) => delete donation(c).properties.message, "createDonation request/message: is gone"],
    [
      "a bound is tightened",
      (c) => (c.components.schemas.donatorName.maxLength = 40),
      "createDonation request/donatorName: maxLength was 50 and is 40",
    ],
    [
      "a bound appears",
      (c) => (c.components.schemas.message.minLength = 1),
      "createDonation request/message: minLength was not there and is 1",
    ],
    [
      "a pattern changes",
      (c) => (c.components.schemas.createdAt.pattern = "^x$"),
      "createDonation request/createdAt: another pattern: may take less",
    ],
    [
      "a type is no longer taken",
      (c) => (donation(c).properties.skipAlert = { type: "string" }),
      "createDonation request/skipAlert: no longer takes boolean",
    ],
    [
      "an enum loses a value",
      (c) => c.components.schemas.DonationSort.enum.pop(),
      'listDonations query parameter sort: no longer takes "-amount"',
    ],
    ["a parameter goes", (c) => list(c).parameters.pop(), "listDonations query parameter maxAmount: is gone"],
    [
      "a parameter is required",
      (c) => (list(c).parameters.find(({ name }: Node) => name === "sort").required = true),
      "listDonations query parameter sort: is required now",
    ],
    [
      "another scope is needed",
      (c) => create(c).security[0].Credential.push("read:donations"),
      "createDonation security: needs read:donations now",
    ],
    ["a member of an answer goes", (c) => delete c.components.schemas.Donation.properties.channel, "getDonation 200/data/channel: is gone"],
    [
      "a member of an answer can be missing",
      (c) => c.components.schemas.Donation.required.pop(),
      "getDonation 200/data/receivedAt: can now be missing",
    ],
    [
      "a member of an answer can be null",
      (c) => (c.components.schemas.Donation.properties.skipAlert = { type: ["boolean", "null"] }),
      "getDonation 200/data/skipAlert: can now be null",
    ],
    [
      "an answer's enum gains a value",
      (c) => c.components.schemas.AlertStatus.enum.push("lost"),
      'getDonation 200/data/alert/status: can now be "lost"',
    ],
    ["a success status goes", (c) => delete create(c).responses["200"], "createDonation 200: is gone"],
    ["a header goes", (c) => delete create(c).responses["201"].headers.Location, "createDonation 201 header Location: is gone"],
    [
      "a content type goes",
      (c) => delete create(c).responses["400"].content["application/json"],
      "createDonation 400: application/json is gone",
    ],
  ];

  test("the end of a deprecated operation comes nearer", () => {
    const ending = (sunset: string): Node => {
      const contract = structuredClone(document) as Node;
      Object.assign(create(contract), { deprecated: true, "x-deprecation": { since: "2026-11-01", sunset } });
      return contract;
    };
    expect(breakingChanges(ending("2028-01-01"), ending("2027-11-01"))).toEqual([
      "createDonation sunset: was 2028-01-01 and is 2027-11-01",
    ]);
    expect(breakingChanges(ending("2028-01-01"), ending("2028-02-01"))).toEqual([]);
  });

  test.each(breaks)("%s", (_, edit, said) => expect(edited(edit)).toContain(said));
});

describe("what only adds breaks nothing", () => {
  const adds: [title: string, edit: (contract: Node) => void][] = [
    ["nothing is changed", () => {}],
    ["a new operation", ({ paths }) => (paths["/api/v1/new"] = { get: { operationId: "getNew", responses: {} } })],
    ["a new optional member", (c) => (donation(c).properties.note = { type: "string" })],
    ["a new optional parameter", (c) => list(c).parameters.push({ name: "new", in: "query", schema: { type: "string" } })],
    ["a wider bound", (c) => (c.components.schemas.donatorName.maxLength = 60)],
    ["a new member of an answer", (c) => (c.components.schemas.Donation.properties.note = { type: "string" })],
    ["a new error code", (c) => c.components.schemas.InvalidRequestCode.enum.push("new_code")],
    ["a new value that may be sent", (c) => c.components.schemas.DonationSort.enum.push("donatorName")],
    ["a scope less", (c) => (create(c).security[0].Credential = [])],
    ["other words", (c) => (create(c).summary = "Another summary")],
  ];

  test.each(adds)("%s", (_, edit) => expect(edited(edit)).toEqual([]));
});
