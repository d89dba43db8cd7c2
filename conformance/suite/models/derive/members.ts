// Reads the members of createDonation's body from the contract alone: a new member is tried without a line here.

import { type Donation, get, list, pageOf, type Query, readDonation, search } from "../../client/api.ts";
import { exported, type Row } from "../../client/workbook.ts";
import { contract, type Operation, operations, operationsIn, resolved, type Schema } from "../../contract/contract.ts";
import { inputsOf } from "../../contract/inputs.ts";
import { type Shape, validate } from "../../contract/shape.ts";
import { type Body, freshIdentifier, freshKey } from "../../values/donations.ts";
import { report } from "../reports.ts";
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
type Special = {
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

// Reads a donation through every operation that answers donations.

/** A donation that was just recorded, with the body that was sent; its identifier is unique. */
export type Recorded = { donation: Donation; sent: Body };

/** The value that an operation answers for a member, or a description of why there is none. */
export type Reading = { value: unknown } | { missing: string };

type Reader = (recorded: Recorded, member: string) => Promise<Reading>;

/** An operation that answers donations as JSON. */
const ofRecord =
  (read: (recorded: Recorded) => Promise<{ [member: string]: unknown } | null | undefined>): Reader =>
  async (recorded, member) => {
    const record = await read(recorded);
    if (!record) return { missing: "does not hold the donation" };
    return member in record ? { value: record[member] } : { missing: "answers the donation without it" };
  };

const findIn = (donations: readonly Donation[], { donation }: Recorded): Donation | undefined =>
  donations.find(({ id }) => id === donation.id);

/** By operation. createDonation's own answer is looked at where it is sent. */
export const readers: { [operation: string]: Reader } = {
  getDonation: ofRecord(async ({ donation }) => readDonation(await get(donation.id))),
  listDonations: ofRecord(async (one) => findIn(pageOf(await list(newestOf(one))).data, one)),
  searchDonations: ofRecord(async (one) => findIn(pageOf(await search({ q: String(one.sent.identifier) })).data, one)),
  getDonationStats: ofRecord(async ({ donation }) => (await report("stats", momentOf(donation))).latest),
  exportDonations: async ({ donation, sent }, member) => {
    const { rows } = await exported({ identifier: String(sent.identifier), timezone: "UTC" });
    const row = rows.find((one) => one[titleOf("id")]?.v === donation.id);
    if (!row) return { missing: "does not hold the donation" };
    return titleOf(member) in row ? { value: ofCell(row, member) } : { missing: `has no column "${titleOf(member)}"` };
  },
};

/** Operations that answer donations and are not read, each with the reason. */
export const unreadOperations: { [operation: string]: string } = {
  createDonation: "its answers are looked at where they are sent",
  voidDonation: "takes back the donation that the other operations read",
  sendTestAlert: "records a test of its own, with the members of its own body",
};

/** The operations whose answers hold the schema Donation. */
export const answeringDonations = (): Operation[] => operations.filter(({ responses }) => namesIn(responses).has("Donation"));

/** Filters by the unique identifier, newest first, because a page holds a limited number. */
const newestOf = ({ sent }: Recorded): Query => ({ identifier: String(sent.identifier), sort: "-receivedAt" });

/** Of several donations at that instant the latest is the one recorded last. */
function momentOf({ createdAt }: Donation): { from: string; to: string } {
  return { from: createdAt, to: new Date(Date.parse(createdAt) + 1).toISOString() };
}

/** An empty cell stands for null and for "". A date is written as the export shows it, in UTC. */
function ofCell(row: Row, member: string): unknown {
  const cell = row[titleOf(member)];
  return cell?.z && cell.w !== undefined && /^\d{4,}-\d\d-\d\d /.test(cell.w) ? `${cell.w.replace(" ", "T")}Z` : (cell?.v ?? "");
}

/** The names of all schemas below. */
function namesIn(node: unknown, seen = new Set<string>()): Set<string> {
  if (typeof node !== "object" || node === null) return seen;
  const { $ref } = node as { $ref?: string };
  const name = $ref?.split("/").at(-1);
  if (name !== undefined && !seen.has(name)) {
    seen.add(name);
    namesIn((contract.components as { schemas: { [name: string]: Schema } }).schemas[name], seen);
  }
  for (const below of Object.values(node)) namesIn(below, seen);
  return seen;
}

// Which column of the export holds which member of a donation. A column is titled by its member's name in words, unless it stands here.

const titles: Record<string, string> = { donatorName: "Donator", id: "Donation id" };

/** Columns of members that have several. */
export const severalColumns: Record<string, readonly string[]> = { voided: ["Voided at", "Void reason"] };

/** Members of a donation without a column, each with the reason. This list may only shrink. */
export const withoutColumn: Record<string, string> = {
  skipAlert: "says how the donation was to be shown, not what was given",
  alert: "changes after the donation was recorded",
};

/** `receivedAt` → `Received at`. */
export function titleOf(member: string): string {
  const words = member.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return titles[member] ?? words.charAt(0).toUpperCase() + words.slice(1);
}
