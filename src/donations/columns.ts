// The columns of the donations table: one entry for each member of a donation. The recording statements, the select lists and the
// comparison of a repeated idempotency key are built from these entries. A member of the contract's ExternalDonation without an entry does
// not compile. Each name is a column that a migration in src/db/migrations creates.

import { hash } from "node:crypto";
import type { Knex } from "knex";
import { arrayLiteral } from "../db/sql-values.ts";
import { erasedMembers, isErased, type Member, type NewDonation, type StoredDonation } from "./donation.ts";

/** Objects and arrays have no SQL type here: arrayLiteral and isSameDonation cannot write and compare them. */
type SqlType<Value> = Value extends string
  ? "text" | "uuid"
  : Value extends number
    ? "numeric" | "bigint" | "integer" | "smallint"
    : Value extends boolean
      ? "boolean"
      : never;

type Column<Value> = Readonly<{
  name: string;
  type: SqlType<Value>;
  /** With a repeated idempotency key: true, another value is another donation (422); a text, the reason why it is not compared. */
  compared: true | string;
  /** SQL over the columns of the input, when the stored value differs from the sent one. */
  stored?: string;
  /** SQL over `donations d`, when the value that is read differs from the column. */
  read?: string;
}>;

export type Columns = { readonly [Name in Member]: Column<NonNullable<NewDonation[Name]>> };

const lookupKey = "the repeated donation is found by it";
const comparedAsInstant = "compared together with its presence, by isSameDonation";

/** In the order in which they are sent: streamerId and id first, as record-statements.ts requires; a new one last. */
export const columns = {
  streamerId: { name: "streamer_id", type: "uuid", compared: lookupKey },
  id: { name: "id", type: "uuid", compared: "each request is given a new one" },
  applicationId: { name: "application_id", type: "uuid", compared: lookupKey },
  idempotencyKey: { name: "idempotency_key", type: "text", compared: lookupKey },
  donatorName: { name: "donator_name", type: "text", compared: true },
  donatorKey: { name: "donator_key", type: "text", compared: "follows from donatorName and identifier" },
  amount: { name: "amount", type: "numeric", compared: true },
  currency: { name: "currency", type: "text", compared: true },
  message: { name: "message", type: "text", compared: true },
  identifier: { name: "identifier", type: "text", compared: true },
  skipAlert: { name: "skip_alert", type: "boolean", compared: true },
  source: { name: "source", type: "text", compared: true },
  channel: { name: "channel", type: "text", compared: true },
  createdAt: {
    name: "created_at",
    type: "bigint",
    compared: comparedAsInstant,
    stored: "coalesce(from_millis(created_at), received_at)",
    read: "to_millis(d.created_at)",
  },
  createdOffset: { name: "created_offset", type: "smallint", compared: comparedAsInstant },
} as const satisfies Columns;

/** Typed by the contract alone, so that the compiler reports a missing entry once, above, and not at each use. */
const all = columns as Columns;

export const members = Object.keys(columns) as Member[];

/** The types of the parameters of a statement that records donations of one streamer. */
export const parametersOfOneStreamer: readonly string[] = members.map((member, index) => all[member].type + (index === 0 ? "" : "[]"));

export function columnName(member: Member): string {
  return all[member].name;
}

/** Members that must be equal when an idempotency key is repeated. */
export const compared = members.filter((member) => all[member].compared === true);

/**
 * Whether a request with a repeated idempotency key has the same donation. createdAt is compared as an instant; an absent one equals only an
 * absent one. Of an erased donation the members that are left are compared.
 */
export function isSameDonation(asked: NewDonation, stored: NewDonation | StoredDonation): boolean {
  const sameTime =
    asked.createdOffset === null || stored.createdOffset === null
      ? asked.createdOffset === stored.createdOffset
      : asked.createdAt === stored.createdAt;
  const left = isErased(stored) ? compared.filter((member) => !erasedMembers.includes(member)) : compared;
  return sameTime && left.every((member) => asked[member] === stored[member]);
}

/** A digest of what `isSameDonation` compares: equal for two requests that are the same donation. */
export function contentOf(donation: NewDonation): string {
  const time = donation.createdOffset === null ? null : donation.createdAt;
  return hash("sha256", JSON.stringify([time, ...compared.map((member) => donation[member])]), "base64url");
}

/** A select list over `donations d` in which each column has the name of its member. `instead`: SQL of members that are read differently. */
export function selectList(chosen: readonly Member[], instead: Partial<Record<Member, string>> = {}): string {
  return chosen.map((member) => `${instead[member] ?? all[member].read ?? `d.${all[member].name}`} as "${member}"`).join(", ");
}

type TypeOf<Name> = Name extends keyof typeof columns ? (typeof columns)[Name]["type"] : never;

/** A row of `selectList`. PostgreSQL sends `numeric` as text, so that no digit is lost; a stored `createdAt` is never null. */
export type DonationColumns = {
  [Name in Member]: TypeOf<Name> extends "numeric"
    ? string | Extract<NewDonation[Name], null>
    : Name extends "createdAt"
      ? number
      : NewDonation[Name];
};

/**
 * The column lists of a recording statement: the names of the inserted columns, the stored values, the arrays that are sent. The statement
 * itself handles the columns in `excluded`.
 */
export function listColumns(excluded: readonly Member[] = []): Readonly<{ names: string; values: string; arrays: string }> {
  const parts = members.map((member, index) => ({ member, ...all[member], array: `$${index + 1}::${all[member].type}[]` }));
  const listed = parts.filter(({ member }) => !excluded.includes(member));
  return {
    names: listed.map(({ name }) => name).join(", "),
    values: listed.map(({ name, stored }) => stored ?? name).join(", "),
    arrays: listed.map(({ array }) => array).join(", "),
  };
}

/** The parameters of the recording statements: an array for each column. */
export function toArrays(donations: readonly NewDonation[]): string[] {
  return members.map((member) => arrayLiteral(donations.map((donation) => donation[member])));
}

/** Throws an Error that names every column of columns.ts that the table lacks, and the statement that adds it. */
export async function requireColumns(knex: Knex): Promise<void> {
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    "select attname as name from pg_attribute where attrelid = 'donations'::regclass and attnum > 0 and not attisdropped",
  );
  const existing = new Set(rows.map(({ name }) => name));
  const missing = Object.values(columns).flatMap(({ name, type }) => (existing.has(name) ? [] : `${name} ${type}`));
  if (missing.length === 0) return;
  const statement = `alter table donations add column ${missing.join(", add column ")};`;
  throw new Error(
    `the table donations lacks ${missing.length === 1 ? "a column" : "columns"} of src/donations/columns.ts: ` +
      "write a migration in src/db/migrations, with the next number and the line `-- compatible since …` of the one before it, such as  " +
      statement,
  );
}
