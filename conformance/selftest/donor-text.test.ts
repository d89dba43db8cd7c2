import { expect, test } from "vitest";

import { contract } from "../harness/contract.ts";
import { undecidedTexts } from "../lint/donor-text.ts";

type Document = Parameters<typeof undecidedTexts>[0];

const document = contract as unknown as Document;

const withSchema = (name: string, schema: Record<string, unknown>): Document => ({
  ...document,
  components: { ...document.components, schemas: { ...document.components.schemas, [name]: schema } },
});

test("every free text of the contract says whether donors write it", () => expect(undecidedTexts(document)).toEqual([]));

test("a named text that does not say so is named", () =>
  expect(undecidedTexts(withSchema("note", { type: "string", maxLength: 200 }))).toEqual(["note"]));

test.each([{ pattern: "^a$" }, { format: "uri" }, { enum: ["a"] }, { "x-donor-text": true }, { "x-donor-text": false }])(
  "a named text with %j is not free, or has decided",
  (keyword) => expect(undecidedTexts(withSchema("note", { type: "string", ...keyword }))).toEqual([]),
);

test.each([
  ["a text", { type: "string" }],
  ["a text or null", { anyOf: [{ type: "string" }, { type: "null" }] }],
  ["a list of texts", { type: "array", items: { type: "string" } }],
])("an unnamed member that tools answer is named by its model: %s", (_what, member) => {
  const { Donation } = document.components.schemas;
  const properties = { ...(Donation?.properties as object), note: member };
  expect(undecidedTexts(withSchema("Donation", { ...Donation, properties }))).toEqual(["Donation.note"]);
});
