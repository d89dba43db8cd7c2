// What a designer adds to the contract and nobody tries must be named by `make check`.

import { expect, test } from "vitest";
import { unnamedIn } from "../../../spec/check/unnamed.ts";
import { contract, type Schema } from "../../suite/contract/contract.ts";

type Edit = (document: { paths: Record<string, Record<string, Schema>>; components: { schemas: Record<string, Schema> } }) => unknown;

/** What is named after an edit of the published contract. */
function namedAfter(edit: Edit): string[] {
  const document = structuredClone(contract);
  edit(document as Parameters<Edit>[0]);
  return unnamedIn(document);
}

const addParameter =
  (path: string, name: string): Edit =>
  ({ paths }) => {
    const operation = paths[path]?.get as { parameters: Schema[] };
    operation.parameters.push({ name, in: "query", schema: { type: "boolean" } });
  };

test("every parameter, member, type of event and problem code of the contract is named by a rule", () => expect(unnamedIn()).toEqual([]));

test.each<[string, Edit, RegExp]>([
  [
    "a new parameter of a list",
    addParameter("/api/v1/donations", "hasMessageText"),
    /^listDonations takes the parameter hasMessageText, which no rule names.*conformance\/rules\/donations\/list-donations\.test\.ts/,
  ],
  [
    "a parameter whose name is a word of rules of other operations",
    addParameter("/api/v1/streaming-categories", "reason"),
    /^listStreamingCategories takes the parameter reason/,
  ],
  [
    "a new member of an answer",
    ({ components }) => Object.assign(components.schemas.StreamingCategory?.properties as Schema, { popularityRank: { type: "integer" } }),
    /^StreamingCategory has the member popularityRank, which no rule names/,
  ],
  [
    "a new type of event",
    ({ components }) => (components.schemas.EventType as { enum: string[] }).enum.push("donation.tagged"),
    /^The type of event donation\.tagged is named by no rule/,
  ],
  [
    "a new problem code",
    (document) => Object.assign((document as unknown as { "x-problems": Schema })["x-problems"], { too_early_today: {} }),
    /^The problem code too_early_today is named by no rule/,
  ],
])("%s that no rule names is reported", (_, edit, said) => expect(namedAfter(edit)).toEqual([expect.stringMatching(said)]));

test("a new member of createDonation's body needs no rule of its own: rules of all members follow it", () => {
  const tip: Edit = ({ components }) => {
    for (const schema of ["ExternalDonation", "Donation"])
      Object.assign(components.schemas[schema]?.properties as Schema, { withTipJar: { type: "boolean", default: false } });
  };
  expect(namedAfter(tip)).toEqual([]);
});
