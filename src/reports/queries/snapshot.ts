// Makes the parts of a report: from the donations in memory when the history is short, else from roll-ups, in one prepared statement. A statement
// sees one snapshot of the database: the roll-ups, and exactly the donations that are not in them yet.

import { hash } from "node:crypto";
import type { Knex } from "knex";
import { preparedQuery } from "../../db/prepared-query.ts";
import type { CountedDonation, Source } from "./short-history.ts";

export type Subject = Readonly<{
  streamerId: string;
  sources: readonly Source[];
  /** All donations of these sources when the history is short; null when a report reads roll-ups. */
  donations: readonly CountedDonation[] | null;
}>;

export type Part<Result> = Readonly<{
  ofDonations(donations: readonly CountedDonation[]): Result;
  ofRollUps(subject: Subject): Query<Result>;
}>;

/** The donations that a report reads itself are in the table `unrolled`. */
export type Query<Result> = Readonly<{
  /** A query. `@streamer` and `@sources` are the subject's, any other `@name` is a value of this part. Its numerics are read as text. */
  sql: string;
  values: Values;
  /** Makes the result of the rows that the query returns. */
  toResult(rows: readonly unknown[]): Result;
}>;

type Values = Readonly<Record<string, unknown>>;
type Parts = Readonly<Record<string, Part<unknown>>>;
type Queries = Readonly<Record<string, Query<unknown>>>;
type Results<Of extends Parts> = { [Name in keyof Of]: Of[Name] extends Part<infer Result> ? Result : never };

/** Makes the parts of a report. `pool` has the planner's settings of reports (`pools.reportReads`). */
export async function readReport<const Of extends Parts>(pool: Knex, subject: Subject, parts: Of): Promise<Results<Of>> {
  const { donations } = subject;
  const made = (make: (name: string, part: Part<unknown>) => unknown) =>
    Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, make(name, part)])) as Results<Of>;
  if (donations) return made((_, part) => part.ofDonations(donations));
  const queries = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, part.ofRollUps(subject)]));
  const { text, bindings } = statementOf(subject, queries);
  const name = `report ${hash("sha256", text).slice(0, 32)}`;
  const [row] = await preparedQuery<Record<string, readonly unknown[] | null>>(pool, { name, text }, bindings);
  return made((name) => queries[name]?.toResult(row?.[name] ?? []));
}

/** Each part is a column: its rows as JSON. */
function statementOf({ streamerId, sources }: Subject, queries: Queries): { text: string; bindings: unknown[] } {
  const bindings: unknown[] = [streamerId, sources];
  const columns = Object.entries(queries).map(([name, { sql, values }]) => {
    const numbers: Record<string, number> = { streamer: 1, sources: 2 };
    const numbered = sql.replace(/@(\w+)/g, (_, value: string) => `$${(numbers[value] ??= bindings.push(asBinding(values[value])))}`);
    return `(select json_agg(part) from (${numbered}) part) as "${name}"`;
  });
  const text = `with rolled as materialized (${rolled}),
    unrolled as materialized (
      select * from donations where streamer_id = $1::uuid and sequence > (select sequence from rolled) and source = any($2::text[]) and voided_at is null order by sequence
    )
    select ${columns.join(", ")}`;
  return { text, bindings };
}

/** Donations up to this sequence are in the roll-ups. */
const rolled = "select coalesce((select rolled_sequence from report_progress where streamer_id = $1::uuid), 0) as sequence";

/** Writes an array as text: the driver escapes each item separately, which took a third of the time of a trend with its ten thousand numbers. */
function asBinding(value: unknown): unknown {
  const plain = Array.isArray(value) && value.every((item) => item === null || typeof item === "number");
  return plain ? `{${value.map((item) => item ?? "null").join(",")}}` : value;
}
