// Describes the bounds of a donation's members in words for the guides, from the contract, where each bound is defined once.

import type { Document, Schema } from "./published-contract.ts";

/** Such as `1 to 50 characters` or `above 0, at most 1,000,000`, by member of createDonation's body; members without bounds are left out. */
export function boundsOf({ components: { schemas } }: Document): Record<string, string> {
  const members = Object.entries(schemas.ExternalDonation.properties).map(([name, member]) => {
    const scalar = schemas[member.$ref?.split("/").at(-1) ?? ""] as Schema | undefined;
    return [name, inWords({ ...scalar, ...member })];
  });
  return Object.fromEntries(members.filter(([, words]) => words !== ""));
}

function inWords({ minLength = 0, maxLength, exclusiveMinimum, maximum }: Schema): string {
  const number = (bound: number) => bound.toLocaleString("en");
  if (maxLength !== undefined) return `${minLength > 0 ? `${number(minLength)} to ` : "at most "}${number(maxLength)} characters`;
  const bounds = [
    exclusiveMinimum === undefined ? "" : `above ${number(exclusiveMinimum)}`,
    maximum === undefined ? "" : `at most ${number(maximum)}`,
  ];
  return bounds.filter(Boolean).join(", ");
}
