// The columns of the donations table: one entry for each member of a donation. The recording statements, the select lists and the
// comparison of a repeated idempotency key are made from it, so that none of them can forget a member. A member of the contract's
// ExternalDonation without an entry does not compile. Each name is that of a column made in src/db/migrations.

import type { NewDonation } from "./donation.ts";

export type Member = keyof NewDonation;

/** An object or an array has no SQL type here: it would need a way to be written and compared first. */
type SqlType<Value> = Value extends string
  ? "text" | "uuid"
  : Value extends number
    ? "numeric" | "bigint" | "integer" | "smallint"
    : Value extends boolean
      ? "boolean"
      : never;

type Column<Value> = Readonly<{
  name: string;
  /** How a repeated idempotency key regards it: true, another value makes another donation (422); a text, why it is left out. */
  compared: true | string;
  /** What is stored, when it is not what was sent: SQL over the columns of the input. */
  stored?: string;
  /** What is read, when it is not the column itself: SQL over `donations d`. */
  read?: string;
}> &
  (
    | { type: Exclude<SqlType<Value>, "text">; written: "bare" }
    // Free text always needs its quotes; the words of an enum don't.
    | { type: Extract<SqlType<Value>, "text">; written: string extends Value ? "quoted" : "bare" | "quoted" }
  );

export type Columns = { readonly [Name in Member]: Column<NonNullable<NewDonation[Name]>> };

const looksUp = "the repeated donation is found by it";
const asInstant = "compared together with its presence, by isSameDonation";

/**
 * In the order in which they are sent: streamerId and id first, as record-one-streamer.sql counts on; a new one last. `written` is how a
 * value stands in an array of Postgres (its manual, 8.15.2).
 */
export const columns = {
  streamerId: { name: "streamer_id", type: "uuid", written: "bare", compared: looksUp },
  id: { name: "id", type: "uuid", written: "bare", compared: "each request is given a new one" },
  applicationId: { name: "application_id", type: "uuid", written: "bare", compared: looksUp },
  idempotencyKey: { name: "idempotency_key", type: "text", written: "quoted", compared: looksUp },
  donatorName: { name: "donator_name", type: "text", written: "quoted", compared: true },
  donatorKey: { name: "donator_key", type: "text", written: "quoted", compared: "follows from donatorName and identifier" },
  amount: { name: "amount", type: "numeric", written: "bare", compared: true },
  currency: { name: "currency", type: "text", written: "bare", compared: true },
  message: { name: "message", type: "text", written: "quoted", compared: true },
  identifier: { name: "identifier", type: "text", written: "quoted", compared: true },
  skipAlert: { name: "skip_alert", type: "boolean", written: "bare", compared: true },
  source: { name: "source", type: "text", written: "bare", compared: true },
  channel: { name: "channel", type: "text", written: "bare", compared: true },
  createdAt: {
    name: "created_at",
    type: "bigint",
    written: "bare",
    compared: asInstant,
    stored: "coalesce(from_millis(created_at), received_at)",
    read: "to_millis(d.created_at)",
  },
  createdOffset: { name: "created_offset", type: "smallint", written: "bare", compared: asInstant },
} as const satisfies Columns;

/** Typed by the contract alone, so that a missing entry is one error of the compiler, above, and not one at each use. */
const all = columns as Columns;

export const members = Object.keys(columns) as Member[];

export function isQuoted(member: Member): boolean {
  return all[member].written === "quoted";
}

/** Members that must be equal when an idempotency key is repeated. */
export const compared = members.filter((member) => all[member].compared === true);

/** A select list over `donations d` in which each column has its member's name. */
export function selectList(chosen: readonly Member[]): string {
  return chosen.map((member) => `${all[member].read ?? `d.${all[member].name}`} as "${member}"`).join(", ");
}

type TypeOf<Name> = Name extends keyof typeof columns ? (typeof columns)[Name]["type"] : never;

/** A row of `selectList`. Postgres sends `numeric` as text, so that no digit is lost; `createdAt` is never null once it is stored. */
export type Row = {
  [Name in Member]: TypeOf<Name> extends "numeric"
    ? string | Extract<NewDonation[Name], null>
    : Name extends "createdAt"
      ? number
      : NewDonation[Name];
};

/**
 * Fills the column lists into a recording statement. `columns` stands for the names of what is inserted, `values` for what is stored in
 * them, `arrays` for the parameters. The columns in `apart` are left to the statement itself.
 */
export function withColumns(statement: string, apart: readonly Member[] = []): string {
  const parts = members.map((member, index) => ({ member, ...all[member], array: `$${index + 1}::${all[member].type}[]` }));
  const listed = parts.filter(({ member }) => !apart.includes(member));
  const lists: Record<string, string[]> = {
    columns: listed.map(({ name }) => name),
    values: listed.map(({ name, stored }) => stored ?? name),
    arrays: listed.map(({ array }) => array),
  };
  return statement.replace(/\/\* (columns|values|arrays) \*\//g, (_, list) => (lists[list] as string[]).join(", "));
}
