// Makes the parts of a report: from the donations in memory when the history is short, else from roll-ups, in one prepared statement. A statement
// sees one snapshot of the database: the roll-ups, and exactly the donations that are not in them yet.

import { hash } from "node:crypto";
import type { Knex } from "knex";
import { preparedQuery } from "../../db/prepared-query.ts";
import type { Grains, PartialPeriod, PeriodRun, Span } from "../roll-ups/periods.ts";
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

// The queries that the parts are made of. Each adds up three kinds of rows: roll-ups of whole periods, donations of partial periods at the
// edges, and the tail: donations that are not rolled up yet. Their cost depends on the number of rows in the range.

/** How spans are arranged: in any way, or each beginning where the previous one ends. */
export type Layout = "overlapping" | "consecutive";

/** Rows of a query by the index of their span. */
export type Labelled<T> = T & { span: number };

// `offset 0` keeps the planner from merging the sub-selects, so that each is an index scan for each run.
export const periods =
  "unnest(@run_span::int[], @grain::smallint[], @first::int[], @last::int[], @run_sign::int[]) as run(span, grain, first, last, sign)";
export const ofPeriod =
  "streamer_id = @streamer::uuid and grain = run.grain and period between run.first and run.last and source = any(@sources::text[])";
// `sequence + 0` and the order keep the scan on the index of createdAt, also when there are no statistics of the streamer yet.
export const partials =
  "unnest(@partial_span::int[], @partial_from::bigint[], @partial_to::bigint[], @partial_sign::int[]) as partial(span, first, after, sign)";
export const ofPartialPeriod = `streamer_id = @streamer::uuid and created_at >= from_millis(partial.first) and created_at < from_millis(partial.after)
  and sequence + 0 <= (select sequence from rolled) and source = any(@sources::text[]) and voided_at is null`;
export const byTime = "order by created_at, sequence offset 0";
export const spanTable = `span as materialized (
    select (ordinality - 1)::int as span, coalesce(from_millis(first), '-infinity') as first, coalesce(from_millis(after), 'infinity') as after
    from unnest(@span_from::bigint[], @span_to::bigint[]) with ordinality as s(first, after)
  )`;
export const unrolled: Record<Layout, string> = {
  overlapping: "unrolled d join span on d.created_at >= span.first and d.created_at < span.after",
  // The tail can be long and a trend has many spans, so the span of each donation is looked up.
  consecutive: `(
      select d.*, width_bucket(d.created_at, (select array_agg(first order by span) from span)) - 1 as span from unrolled d
      where d.created_at >= (select min(first) from span) and d.created_at < (select max(after) from span)
    ) d`,
};
// With an equality the order would have no effect, and the planner could use any index that contains the sequence.
export const hasSequence = (value: string) =>
  `streamer_id = @streamer::uuid and sequence between ${value} and ${value} order by sequence limit 1`;
export const numberOf = (key: string) =>
  `select donator from report_donators where streamer_id = @streamer::uuid and key = ${key} offset 0`;

/** The kinds of rows that a report has to add up. */
export function unionOf({ periods, partials, tail }: { periods: string; partials: string; tail: string }): string {
  return [periods, partials, tail].join(" union all ");
}

type Compose = (span: Span, largestFirst: Grains) => { periods: readonly PeriodRun[]; partials: readonly PartialPeriod[] };

/** The parts of the spans, by `compose`, and their ends. */
export function bindSpansAndParts(spans: readonly Span[], compose: Compose, largestFirst: Grains): Values {
  const parts = spans.map((span) => compose(span, largestFirst));
  return {
    ...bindPeriods(labelled(parts.map(({ periods }) => periods))),
    ...bindPartialPeriods(parts.map(({ partials }) => partials)),
    ...bindSpans(spans),
  };
}

export function bindPeriods(periods: readonly Labelled<PeriodRun>[]): Values {
  return {
    run_span: periods.map(({ span }) => span),
    grain: periods.map(({ grain }) => grain),
    first: periods.map(({ first }) => first),
    last: periods.map(({ last }) => last),
    run_sign: periods.map(({ sign = 1 }) => sign),
  };
}

export function bindPartialPeriods(ofSpans: readonly (readonly PartialPeriod[])[]): Values {
  const partials = labelled(ofSpans);
  return {
    partial_span: partials.map(({ span }) => span),
    partial_from: partials.map(({ from }) => from),
    partial_to: partials.map(({ to }) => to),
    partial_sign: partials.map(({ sign = 1 }) => sign),
  };
}

export function bindSpans(spans: readonly Span[]): Values {
  return { span_from: spans.map(({ from }) => from), span_to: spans.map(({ to }) => to) };
}

export function labelled<T extends object>(ofSpans: readonly (readonly T[])[]): Labelled<T>[] {
  return ofSpans.flatMap((those, span) => those.map((one) => ({ ...one, span })));
}
