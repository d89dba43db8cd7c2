// Reads the members of createDonation's body from the contract alone: a new member is tried without a line here.

import { contract, operationsIn, resolved, type Schema } from "../../contract/contract.ts";
import { inputsOf } from "../../contract/inputs.ts";
import type { Shape } from "../../contract/shape.ts";
import { validate } from "../../contract/validate-value.ts";
import { freshIdentifier, freshKey } from "../../values/donations.ts";
import { samplesOf } from "./samples.ts";

export type Member = {
  name: string;
  required: boolean;
  shape: Shape;
  /** What an absent member means; undefined: the contract states nothing. */
  fallback: unknown;
  special: Special | null;
};

/** The members that createDonation takes, in the contract's order. */
export function membersOf(document: Schema = contract): Member[] {
  const operation = operationsIn(document).find(({ id }) => id === "createDonation");
  const schema = operation && resolved<Schema>(operation.requestBody?.content["application/json"]?.schema ?? {}, document);
  if (!operation || !schema) throw new Error("the contract has no operation createDonation");
  const { properties = {}, required = [] } = inputsOf(operation, document).body?.shape ?? {};
  return Object.entries(properties).map(([name, shape]) => ({
    name,
    required: required.includes(name),
    shape,
    fallback: defaultOf((schema.properties as Record<string, Schema>)[name] ?? {}, document),
    special: specials[name] ?? null,
  }));
}

/** The members that donators write, or write a part of: the contract marks the types of texts by `x-donator-text`. */
export function donatorTextsOf(document: Schema = contract): string[] {
  const { ExternalDonation } = (document.components as { schemas: Record<string, Schema> }).schemas;
  const properties = Object.entries((ExternalDonation?.properties ?? {}) as Record<string, Schema>);
  return properties.filter(([, schema]) => hasDonatorText(schema, document)).map(([name]) => name);
}

/** Whether the text, an item of the list or a member of the object is written by donators. */
function hasDonatorText(reference: Schema, document: Schema): boolean {
  const schema = resolved<Schema>(reference, document);
  const parts = [
    schema.items,
    ...Object.values((schema.properties ?? {}) as object),
    ...((schema.anyOf ?? schema.allOf ?? []) as Schema[]),
  ];
  return schema["x-donator-text"] === true || parts.some((part) => part !== undefined && hasDonatorText(part as Schema, document));
}

/** Two valid values that differ, the first one not the default. Throws an Error that says where to add them. */
export function twoValues(member: Member, seed: number): [unknown, unknown] {
  const { name, special } = member;
  if (special?.values) return special.values();
  const [first, second] = valuesOf(member, seed);
  if (first !== undefined && second !== undefined) return [first, second];
  throw new Error(
    `the suite knows no two values of the member ${name}: add a line to specials in conformance/suite/models/derive/members.ts, such as  ${name}: { values: () => [first, second], why: "…" },`,
  );
}

/** A valid value, not the default where there is another. */
export const oneValue = (member: Member, seed: number): unknown =>
  member.special?.single ? valuesOf(member, seed)[0] : twoValues(member, seed)[0];

/** Valid values that differ, the default last. */
export function valuesOf({ shape, fallback }: Member, seed: number): unknown[] {
  const timed = shape.format === "date-time" ? times.filter((time) => validate(shape, time).length === 0) : [];
  const all = timed.length > 1 ? timed : samplesOf(shape, seed).map(({ value }) => value);
  const isDefault = (value: unknown): boolean => JSON.stringify(value) === JSON.stringify(fallback);
  return [...all.filter((value) => !isDefault(value)), ...all.filter(isDefault)];
}

/** Within the years of a spreadsheet, where the export writes dates. */
const times = ["2026-11-20T19:30:00+07:00", "2024-03-15T12:30:00.250Z"];

function defaultOf(property: Schema, document: Schema): unknown {
  return "default" in property ? property.default : resolved<Schema>(property, document).default;
}

// What no schema says about members of a donation.

/** What the contract's schemas cannot say about a member of createDonation's body. */
export type Special = {
  /** The reason why this line stands here. */
  why: string;
  /** Two valid values that differ, where the schema gives none or others are needed. */
  values?: () => [unknown, unknown];
  /** The schema allows one value alone: there is no other to compare it with. */
  single?: true;
  /** A value that means "not set". */
  none?: unknown;
  /** The member of the record that stands for an absent one, in place of null. */
  absent?: string;
  /** Another value of it means another donation, not a conflict. */
  identifies?: true;
};

/**
 * Members whose rules need more than their schema. A new member needs a line only where the suite asks for one: a text with bounds, a
 * truth value, a number, a date-time or an enum of several values is tried without.
 */
export const specials: Record<string, Special> = {
  currency: { single: true, why: "THB is the only currency (interface 2.1)" },
  identifier: {
    values: () => [freshIdentifier(), freshIdentifier()],
    none: "",
    why: "the rules find their donations by it; '' counts as none",
  },
  idempotencyKey: { values: () => [freshKey(), freshKey()], identifies: true, why: "another key is another donation" },
  createdAt: { absent: "receivedAt", why: "a donation without a time happened when it was received" },
};
