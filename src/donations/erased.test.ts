import { expect, test } from "vitest";
import { readContract } from "../http/contract/document.ts";
import { erasedMembers } from "./donation.ts";

type Schema = { $ref?: string; "x-donator-text"?: boolean; properties?: Record<string, Schema>; allOf?: Schema[] };
type Document = { components: { schemas: Record<string, Schema> } };

const { schemas } = (readContract() as unknown as Document).components;

/** Whether donators write the text: the contract says it at the member, or at its type. */
function isDonatorText(schema: Schema): boolean {
  const target = schema.$ref && schemas[schema.$ref.replace("#/components/schemas/", "")];
  return schema["x-donator-text"] === true || [target, ...(schema.allOf ?? [])].some((one) => one && isDonatorText(one));
}

test("every member of a donation that donators write is blanked by an erasure, and no other", () => {
  const members = Object.entries(schemas.ExternalDonation?.properties ?? {});
  const written = members.filter(([, schema]) => isDonatorText(schema)).map(([name]) => name);
  expect(
    [...erasedMembers].sort(),
    "spec/ says by @donatorText(true) which members donators write: give each of them a line of erasedValues in src/donations/donation.ts",
  ).toEqual(written.sort());
});
