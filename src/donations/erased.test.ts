import { expect, test } from "vitest";
import { readContract } from "../http/contract/document.ts";
import { erasedMembers } from "./erased.ts";

type Schema = { $ref?: string; "x-donor-text"?: boolean; properties?: Record<string, Schema>; allOf?: Schema[] };
type Document = { components: { schemas: Record<string, Schema> } };

const { schemas } = (readContract() as unknown as Document).components;

/** Whether donors write the text: the contract says it at the member, or at its type. */
function isDonorText(schema: Schema): boolean {
  const target = schema.$ref && schemas[schema.$ref.replace("#/components/schemas/", "")];
  return schema["x-donor-text"] === true || [target, ...(schema.allOf ?? [])].some((one) => one && isDonorText(one));
}

test("every member of a donation that donors write is blanked by an erasure, and no other", () => {
  const members = Object.entries(schemas.ExternalDonation?.properties ?? {});
  const written = members.filter(([, schema]) => isDonorText(schema)).map(([name]) => name);
  expect(
    [...erasedMembers].sort(),
    "spec/ says by @donorText(true) which members donors write: give each of them a line of erasedValues in src/donations/erased.ts",
  ).toEqual(written.sort());
});
