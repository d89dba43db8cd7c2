import { expect, test } from "vitest";
import { readContract } from "../http/contract/published.ts";
import { donatorKey, erasedMembers } from "./donation.ts";

test("the donator key of an identifier has its exact code points", () => {
  expect(donatorKey("x", " A@b ")).toBe("i: A@b ");
});

test.each([
  [" @Somchai ", "n:somchai"],
  ["SOMCHAI", "n:somchai"],
  ["som\u3000 \tchai", "n:som chai"],
  ["＠ｓｏｍｃｈａｉ", "n:somchai"],
  ["@@somchai", "n:@somchai"],
  ["Straße", "n:strasse"],
  ["ΣΊΣΥΦΟΣ", donatorKey("σίσυφος", null)],
  ["@", "n:@"],
  ["  ", "n:  "],
  ["สมชาย", "n:สมชาย"],
])("the name %j has the donator key %j", (name, key) => {
  expect(donatorKey(name, null)).toBe(key);
});

type Schema = { $ref?: string; "x-donator-text"?: boolean; properties?: Record<string, Schema>; allOf?: Schema[] };
type Document = { components: { schemas: Record<string, Schema> }; paths: Record<string, Record<string, Operation>> };
type Operation = { operationId?: string; requestBody?: object };

const { components, paths } = readContract() as unknown as Document;
const { schemas } = components;

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

/** What becomes of a text that donators write, by the operation that takes it. */
const takers: Readonly<Record<string, string>> = {
  createDonation: "a member of a donation",
  importDonations: "as createDonation",
  sendTestAlert: "as createDonation",
  eraseDonator: "says what to erase; only hashes of it are kept",
};

test("an operation takes what donators write only where an erasure finds it", () => {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const taking = operations.flatMap(({ operationId, requestBody }) => (operationId && holdsDonatorText(requestBody) ? [operationId] : []));
  expect(
    taking.sort(),
    "let the erasure of a donator (src/corrections/erase-rows.ts) blank what this operation stores, and say it in this test",
  ).toEqual(Object.keys(takers).sort());
});

/** Whether a text in the value, or in a schema that it refers to, is written by donators. */
function holdsDonatorText(value: unknown, seen = new Set<unknown>()): boolean {
  if (typeof value !== "object" || value === null || seen.has(value)) return false;
  seen.add(value);
  const { $ref } = value as Schema;
  if ((value as Schema)["x-donator-text"] === true) return true;
  if ($ref && holdsDonatorText(schemas[$ref.replace("#/components/schemas/", "")], seen)) return true;
  return Object.values(value).some((below) => holdsDonatorText(below, seen));
}
