import { expect, test } from "vitest";
import { boundsOf } from "./bounds.ts";
import { readDocument } from "./published-contract.ts";

const document = readDocument();
const withNote = (note: object): typeof document => {
  const { ExternalDonation } = document.components.schemas;
  const schemas = {
    ...document.components.schemas,
    note,
    ExternalDonation: { properties: { note: { $ref: "#/components/schemas/note" } } },
  };
  return {
    ...document,
    components: { ...document.components, schemas: { ...schemas, ExternalDonation: { ...ExternalDonation, ...schemas.ExternalDonation } } },
  };
};

test.each([
  [{ minLength: 2, maxLength: 3000 }, { note: "2 to 3,000 characters" }],
  [{ maxLength: 7 }, { note: "at most 7 characters" }],
  [{ exclusiveMinimum: 0, maximum: 5000 }, { note: "above 0, at most 5,000" }],
  [{ type: "boolean" }, {}],
])("the bounds of a member with %j are described in words", (note, words) => expect(boundsOf(withNote(note))).toEqual(words));

test("the members of interface 2.1 that have bounds have them described in words", () =>
  expect(Object.keys(boundsOf(document))).toEqual(
    expect.arrayContaining(["donatorName", "amount", "message", "identifier", "idempotencyKey"]),
  ));
