// The queries that the parts of reports are made of. Each adds up three kinds of rows: roll-ups of whole periods, donations of the slivers at the
// edges, and the tail: donations that are not rolled up yet. Their cost depends on the number of rows in the range.

import type { Grains, Piece, Sliver, Span } from "../roll-ups/periods.ts";

/** How spans are arranged: in any way, or each beginning where the previous one ends. */
export type Layout = "overlapping" | "consecutive";

/** Rows of a query by the index of their span. */
export type Labelled<T> = T & { span: number };

type Values = Record<string, unknown>;

// `offset 0` keeps the planner from merging the sub-selects, so that each is an index scan for each piece.
export const periods =
  "unnest(@piece_span::int[], @grain::smallint[], @first::int[], @last::int[], @piece_sign::int[]) as piece(span, grain, first, last, sign)";
export const ofPeriod =
  "streamer_id = @streamer::uuid and grain = piece.grain and period between piece.first and piece.last and source = any(@sources::text[])";
// `sequence + 0` and the order keep the scan on the index of createdAt, also when there are no statistics of the streamer yet.
export const slivers =
  "unnest(@sliver_span::int[], @sliver_from::bigint[], @sliver_to::bigint[], @sliver_sign::int[]) as sliver(span, first, after, sign)";
export const ofSliver = `streamer_id = @streamer::uuid and created_at >= from_millis(sliver.first) and created_at < from_millis(sliver.after)
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
export function unionOf({ periods, slivers, tail }: { periods: string; slivers: string; tail: string }): string {
  return [periods, slivers, tail].join(" union all ");
}

type Compose = (span: Span, largestFirst: Grains) => { periods: readonly Piece[]; slivers: readonly Sliver[] };

/** The pieces of the spans, by `compose`, and their ends. */
export function bindSpansAndPieces(spans: readonly Span[], compose: Compose, largestFirst: Grains): Values {
  const parts = spans.map((span) => compose(span, largestFirst));
  return {
    ...bindPeriods(labelled(parts.map(({ periods }) => periods))),
    ...bindSlivers(parts.map(({ slivers }) => slivers)),
    ...bindSpans(spans),
  };
}

export function bindPeriods(periods: readonly Labelled<Piece>[]): Values {
  return {
    piece_span: periods.map(({ span }) => span),
    grain: periods.map(({ grain }) => grain),
    first: periods.map(({ first }) => first),
    last: periods.map(({ last }) => last),
    piece_sign: periods.map(({ sign = 1 }) => sign),
  };
}

export function bindSlivers(ofSpans: readonly (readonly Sliver[])[]): Values {
  const slivers = labelled(ofSpans);
  return {
    sliver_span: slivers.map(({ span }) => span),
    sliver_from: slivers.map(({ from }) => from),
    sliver_to: slivers.map(({ to }) => to),
    sliver_sign: slivers.map(({ sign = 1 }) => sign),
  };
}

export function bindSpans(spans: readonly Span[]): Values {
  return { span_from: spans.map(({ from }) => from), span_to: spans.map(({ to }) => to) };
}

export function labelled<T extends object>(ofSpans: readonly (readonly T[])[]): Labelled<T>[] {
  return ofSpans.flatMap((those, span) => those.map((one) => ({ ...one, span })));
}
