import { describe, expect, test } from "vitest";

import document from "../../../generated/openapi.json" with { type: "json" };
import { unnoted } from "../../../spec/check/additions.ts";
import { breakingChanges, describeCompared } from "../../../spec/check/breaking/contracts.ts";
import { sharedLines, unannounced } from "../../../spec/check/changelog.ts";

// `make breaking`: edits of the contract, each with the breaking change that must be reported for it.

// biome-ignore lint/suspicious/noExplicitAny: the document is edited freely
type Node = any;

const edited = (edit: (contract: Node) => void): string[] => {
  const contract = structuredClone(document) as Node;
  edit(contract);
  return breakingChanges(document, contract);
};

const donation = ({ components }: Node): Node => components.schemas.ExternalDonation;
const create = ({ paths }: Node): Node => paths["/api/v1/donations"].post;
const list = ({ paths }: Node): Node => paths["/api/v1/donations"].get;

/** Takes one element out of a list. */
const leave = (elements: Node[], isWanted: (element: Node) => boolean): Node[] => elements.splice(elements.findIndex(isWanted), 1);

const delivered = ({ webhooks }: Node): Node => webhooks["donation.created"].post.requestBody.content["application/json"].schema;
const add = (contract: Node, schema: string, { table, value }: { table: string; value: string }): void => {
  contract.components.schemas[schema].enum.push(value);
  contract[table][value] = {};
};

const addEventModel = ({ components: { schemas } }: Node): void => {
  schemas.MoveEvent = structuredClone(schemas.GoalEvent);
  schemas.Event.anyOf.push({ $ref: "#/components/schemas/MoveEvent" });
};

/** Gives the problem another code, explained like the old one. */
const rename = (contract: Node, problem: string, code: string): void => {
  contract.components.schemas[problem].properties.code.enum = [code];
  contract["x-problems"][code] = {};
};

describe("a breaking change is reported", () => {
  const breaks: [title: string, edit: (contract: Node) => void, message: string][] = [
    ["an operation is removed", ({ paths }) => delete paths["/api/v1/me"], "getMe: GET /api/v1/me was removed"],
    ["an operation is renamed", (c) => (create(c).operationId = "postDonation"), "createDonation was renamed to postDonation"],
    ["a member becomes required", (c) => donation(c).required.push("message"), "createDonation request/message: is now required"],
    ["a member of a closed body is removed", (c) => delete donation(c).properties.message, "createDonation request/message: was removed"],
    [
      "a bound is tightened",
      (c) => (c.components.schemas.donatorName.maxLength = 40),
      "createDonation request/donatorName: maxLength was 50 and is 40",
    ],
    [
      "a default changes",
      (c) => (donation(c).properties.skipAlert.default = true),
      "createDonation request/skipAlert: the default was false and is true",
    ],
    [
      "a default is taken away",
      (c) => delete donation(c).properties.skipAlert.default,
      "createDonation request/skipAlert: the default was false, and there is none",
    ],
    [
      "an operation gets a tighter rate limit",
      (c) => (list(c)["x-rate-limit"] = "export"),
      "listDonations rate limit: was read and is export, which allows fewer requests",
    ],
    [
      "a bound is added",
      (c) => (c.components.schemas.message.minLength = 1),
      "createDonation request/message: minLength was unset and is 1",
    ],
    [
      "a pattern changes",
      (c) => (c.components.schemas.createdAt.pattern = "^x$"),
      "createDonation request/createdAt: the pattern changed and may accept less",
    ],
    [
      "a type is no longer accepted",
      (c) => (donation(c).properties.skipAlert = { type: "string" }),
      "createDonation request/skipAlert: no longer accepts boolean",
    ],
    [
      "a value of an enum is removed",
      (c) => c.components.schemas.DonationSort.enum.pop(),
      'listDonations query parameter sort: no longer accepts "-amount"',
    ],
    [
      "a list of scopes can hold what is no scope",
      (c) => c.components.schemas.Scope.enum.push("anything"),
      'getMe 200/data/scopes/*: can now be "anything"',
    ],
    [
      "a member that is no type of an event can be another text",
      (c) => c.components.schemas.Source.enum.push("donation.created"),
      'getDonation 200/data/source: can now be "donation.created"',
    ],
    [
      "a list of scopes can hold another type",
      (c) => (c.components.schemas.Scope.type = ["string", "null"]),
      "getMe 200/data/scopes/*: can now be null",
    ],
    [
      "a code of problems is one that no table explains",
      (c) => c.components.schemas.InvalidRequestCode.enum.push("unexplained"),
      'getMe 400/code: can now be "unexplained"',
    ],
    ["a webhook is removed", ({ webhooks }) => delete webhooks["goal.reached"], "webhook goal.reached: was removed"],
    [
      "a member of a webhook's body is removed",
      (c) => delete delivered(c).properties.timestamp,
      "webhook donation.created body/timestamp: was removed",
    ],
    [
      "a header of a webhook can be missing",
      ({ webhooks }) => (webhooks["goal.reached"].post.parameters[0].required = false),
      "webhook goal.reached header parameter webhook-id: can now be missing",
    ],
    [
      "a parameter is removed",
      (c) => leave(list(c).parameters, ({ name }) => name === "sort"),
      "listDonations query parameter sort: was removed",
    ],
    [
      "a parameter becomes required",
      (c) => (list(c).parameters.find(({ name }: Node) => name === "sort").required = true),
      "listDonations query parameter sort: is now required",
    ],
    [
      "another scope becomes required",
      (c) => create(c).security[0].Credential.push("read:donations"),
      "createDonation security: now requires read:donations",
    ],
    [
      "a member of an answer is removed",
      (c) => delete c.components.schemas.Donation.properties.channel,
      "getDonation 200/data/channel: was removed",
    ],
    [
      "a member of an answer can be missing",
      (c) => leave(c.components.schemas.Donation.required, (name) => name === "receivedAt"),
      "getDonation 200/data/receivedAt: can now be missing",
    ],
    [
      "a member of an answer can be null",
      (c) => (c.components.schemas.Donation.properties.skipAlert = { type: ["boolean", "null"] }),
      "getDonation 200/data/skipAlert: can now be null",
    ],
    [
      "a value is added to an enum of an answer",
      (c) => c.components.schemas.AlertStatus.enum.push("lost"),
      'getDonation 200/data/alert/status: can now be "lost"',
    ],
    [
      "an error code is renamed",
      (c) => rename(c, "DonationNotFoundProblem", "no_such_donation"),
      'getDonation 404: the code "donation_not_found" was removed or renamed; new: "no_such_donation"',
    ],
    ["a success status is removed", (c) => delete create(c).responses["200"], "createDonation 200: was removed"],
    [
      "a header of an answer is removed",
      (c) => delete create(c).responses["201"].headers.Location,
      "createDonation 201 header Location: was removed",
    ],
    [
      "a content type of an answer is removed",
      (c) => delete create(c).responses["400"].content["application/json"],
      "createDonation 400: application/json was removed",
    ],
  ];

  test("an earlier sunset of a deprecated operation is reported, a later one is not", () => {
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

  test.each(breaks)("%s", (_, edit, message) => expect(edited(edit)).toContain(message));
});

describe("no breaking change is reported for", () => {
  const adds: [title: string, edit: (contract: Node) => void][] = [
    ["an unchanged contract", () => {}],
    ["a new operation", ({ paths }) => (paths["/api/v1/new"] = { get: { operationId: "getNew", responses: {} } })],
    ["a new optional member", (c) => (donation(c).properties.note = { type: "string" })],
    ["a new optional parameter", (c) => list(c).parameters.push({ name: "new", in: "query", schema: { type: "string" } })],
    ["a wider bound", (c) => (c.components.schemas.donatorName.maxLength = 60)],
    ["a new member of an answer", (c) => (c.components.schemas.Donation.properties.note = { type: "string" })],
    ["a new error code", (c) => add(c, "InvalidRequestCode", { table: "x-problems", value: "new_code" })],
    ["an error code that no longer occurs", (c) => c.components.schemas.InvalidRequestCode.enum.pop()],
    ["a new scope", (c) => add(c, "Scope", { table: "x-scopes", value: "read:everything" })],
    ["a new type of event", (c) => c.components.schemas.EventType.enum.push("donation.moved")],
    ["a new type of event with a model of its own", addEventModel],
    ["a new webhook", ({ webhooks }) => (webhooks["donation.moved"] = webhooks["donation.created"])],
    ["a new member of a webhook's body", (c) => (delivered(c).properties.note = { type: "string" })],
    ["a new value of an enum in requests", (c) => c.components.schemas.DonationSort.enum.push("donatorName")],
    ["one required scope fewer", (c) => (create(c).security[0].Credential = [])],
    ["another summary", (c) => (create(c).summary = "Another summary")],
  ];

  test.each(adds)("%s", (_, edit) => expect(edited(edit)).toEqual([]));
});

test("a comparison says how many operations it compared, and how many no released contract has", () => {
  const before = structuredClone(document) as Node;
  delete before.paths["/api/v1/me"];
  const count = JSON.stringify(document.paths).split('"operationId"').length - 1;
  expect(describeCompared(document, document)).toBe(`all ${count} operations were compared`);
  expect(describeCompared(before, document)).toBe(`${count - 1} of ${count} operations were compared, and 1 not released yet were not`);
});

/** What is new after an edit, and named by none of these lines of the changelog. */
const newAfter = (edit: (contract: Node) => void, ...lines: string[]): string[] => {
  const contract = structuredClone(document) as Node;
  edit(contract);
  return unnoted(document, contract, lines);
};

test.each<[words: string, edit: (contract: Node) => void, name: string]>([
  [
    "the operation countDonations",
    (contract) => (contract.paths["/api/v1/count"] = { get: { operationId: "countDonations" } }),
    "countDonations",
  ],
  [
    "the parameter hasMessage of listDonations",
    (contract) => list(contract).parameters.push({ name: "hasMessage", in: "query" }),
    "hasMessage",
  ],
  ["the member gift of ExternalDonation", (contract) => (donation(contract).properties.gift = {}), "gift"],
  ["the value line_pay of Channel", ({ components }) => components.schemas.Channel.enum.push("line_pay"), "line_pay"],
  [
    "the value donation.tagged of EventType",
    ({ components }) => components.schemas.EventType.enum.push("donation.tagged"),
    "donation.tagged",
  ],
])("%s is new, until the changelog names it", (words, edit, name) => {
  expect(newAfter(edit)).toEqual([words]);
  expect(newAfter(edit, `- A word without code: ${name}.`)).toEqual([words]);
  expect(newAfter(edit, `- Something new: \`${name}\`.`)).toEqual([]);
  expect(newAfter(edit, `- channel: can now be "${name}" (11 places)`)).toEqual([]);
});

test("what belongs to a new schema is not named of its own", () =>
  expect(newAfter(({ components }) => (components.schemas.Gift = { properties: { weight: {} } }))).toEqual([]));

const newChannel = ['createDonation 201/data/channel: can now be "line_pay"', 'getDonation 200/data/channel: can now be "line_pay"'];

test("a breaking change of a member of several answers is announced by one line with their number", () => {
  const [line = ""] = sharedLines(newChannel);
  expect(line).toBe('channel: can now be "line_pay" (2 places)');
  expect(unannounced(newChannel, [`- ${line}`])).toEqual([]);
});

test("the line of several answers does not announce the same change of one more", () => {
  const more = [...newChannel, 'listDonations 200/data/*/channel: can now be "line_pay"'];
  expect(unannounced(more, ['- channel: can now be "line_pay" (2 places)'])).toEqual(more);
});

test("a breaking change is announced word for word, and no other one by its line", () =>
  expect(unannounced(newChannel, [`- ${newChannel[0]}`])).toEqual([newChannel[1]]));
