// What reports ask the database. Each query adds up three kinds of rows: roll-ups of whole periods, donations of the slivers
// at the edges, and the tail, donations that are not rolled up yet. Their cost follows what lies in the range.

import type { Schemas } from "../http/operations.ts";
import { type Decimal, decimal, zero } from "./decimal.ts";
import { decompose, type Grains, grains, type Piece, type Pieces, type Span, wholePeriod } from "./periods.ts";
import type { Snapshot, Source } from "./snapshot.ts";

export type Channel = Schemas["Channel"];
export type Sum = Readonly<{ total: Decimal; count: number }>;
export type Extremes = Readonly<{ smallest: Decimal; largest: Decimal; largestId: string; latestId: string }>;
export type Donator = Sum & Readonly<{ rank: number; name: string; identifier: string | null; firstAt: number; lastAt: number }>;

/** How spans lie: anyhow, or each beginning where the one before ends. */
export type Layout = "overlapping" | "consecutive";

// The sub-selects are fenced by `offset 0`, so that each stays an index walk per piece.
const periods = "unnest(@piece_span::int[], @grain::smallint[], @first::int[], @last::int[]) as piece(span, grain, first, last)";
const ofPeriod =
  "streamer_id = @streamer::uuid and grain = piece.grain and period between piece.first and piece.last and source = any(@sources::text[])";
// `sequence + 0` and the order keep the walk on the index of createdAt, also where statistics do not know the streamer yet.
const slivers = "unnest(@sliver_span::int[], @sliver_from::bigint[], @sliver_to::bigint[]) as sliver(span, first, after)";
const ofSliver = `streamer_id = @streamer::uuid and created_at >= from_millis(sliver.first) and created_at < from_millis(sliver.after)
  and sequence + 0 <= @rolled::bigint and source = any(@sources::text[])`;
const byTime = "order by created_at, sequence offset 0";
const tail = `span as materialized (
    select (ordinality - 1)::int as span, coalesce(from_millis(first), '-infinity') as first, coalesce(from_millis(after), 'infinity') as after
    from unnest(@span_from::bigint[], @span_to::bigint[]) with ordinality as s(first, after)
  ),
  unrolled as materialized (
    select * from donations
    where streamer_id = @streamer::uuid and sequence > @rolled::bigint and source = any(@sources::text[]) order by sequence
  )`;
const unrolled: Record<Layout, string> = {
  overlapping: "unrolled d join span on d.created_at >= span.first and d.created_at < span.after",
  // The tail may be long and a trend has many spans: each donation finds its own.
  consecutive: `(
      select d.*, width_bucket(d.created_at, (select array_agg(first order by span) from span)) - 1 as span from unrolled d
      where d.created_at >= (select min(first) from span) and d.created_at < (select max(after) from span)
    ) d`,
};
// An equality would make the order void, and any index that has a sequence as good as the one that begins with it.
const hasSequence = (value: string) => `streamer_id = @streamer::uuid and sequence between ${value} and ${value} order by sequence limit 1`;
const numberOf = (key: string) => `select donator from report_donators where streamer_id = @streamer::uuid and key = ${key} offset 0`;

/** Sum and count of every span. */
export async function sums(snapshot: Snapshot, spans: readonly Span[], layout: Layout): Promise<Sum[]> {
  const rows = await snapshot.read<SumRow & { span: number }>(
    `with ${tail}
     select span, sum(count)::bigint as count, sum(amount) as total from (
       select piece.span, s.count, s.amount from ${periods}
       cross join lateral (select count, amount from report_sums where ${ofPeriod} offset 0) s
       union all
       select sliver.span, 1, d.amount from ${slivers}
       cross join lateral (select amount from donations where ${ofSliver} ${byTime}) d
       union all
       select d.span, 1, d.amount from (select span, d.amount from ${unrolled[layout]}) d
     ) part group by span`,
    bind(spans, grains.sums),
  );
  const bySpan = new Map(rows.map((row) => [row.span, toSum(row)]));
  return spans.map((_, index) => bySpan.get(index) ?? { total: zero, count: 0 });
}

/** Sum and count of each channel that has any. */
export async function channelSums(snapshot: Snapshot, span: Span): Promise<Map<Channel, Sum>> {
  const rows = await snapshot.read<SumRow & { channel: Channel }>(
    `with ${tail}
     select channel, sum(count)::bigint as count, sum(amount) as total from (
       select s.* from ${periods}
       cross join lateral (select channel, count, amount from report_sums where ${ofPeriod} offset 0) s
       union all
       select d.* from ${slivers}
       cross join lateral (select channel, 1, amount from donations where ${ofSliver} ${byTime}) d
       union all
       select d.channel, 1, d.amount from ${unrolled.overlapping}
     ) part group by channel`,
    bind([span], grains.sums),
  );
  return new Map(rows.map((row) => [row.channel, toSum(row)]));
}

/** Smallest, largest and latest of a span; null without donations. */
export async function extremes(snapshot: Snapshot, span: Span): Promise<Extremes | null> {
  const [row] = await snapshot.read<{ smallest: string; largest: string; largest_id: string; latest_id: string }>(
    `with ${tail},
     part as materialized (
       select s.* from ${periods}
       cross join lateral (
         select smallest, largest, largest_sequence, last_at, last_sequence from report_sums where ${ofPeriod} offset 0
       ) s
       union all
       select d.* from ${slivers}
       cross join lateral (select amount, amount, sequence, created_at, sequence from donations where ${ofSliver} ${byTime}) d
       union all
       select d.amount, d.amount, d.sequence, d.created_at, d.sequence from ${unrolled.overlapping}
     ),
     largest as (select largest as amount, largest_sequence as sequence from part order by largest desc, largest_sequence desc limit 1),
     latest as (select last_sequence as sequence from part order by last_at desc, last_sequence desc limit 1)
     select (select min(smallest) from part) as smallest, largest.amount as largest,
       (select id from donations where ${hasSequence("largest.sequence")}) as largest_id,
       (select id from donations where ${hasSequence("latest.sequence")}) as latest_id
     from largest, latest`,
    bind([span], grains.sums),
  );
  return row
    ? { smallest: decimal(row.smallest), largest: decimal(row.largest), largestId: row.largest_id, latestId: row.latest_id }
    : null;
}

/** The two amounts in the middle, equal where one is; null without donations. First their size class is found, then they in it. */
export async function middles(snapshot: Snapshot, span: Span): Promise<[Decimal, Decimal] | null> {
  const values = bind([span], grains.amounts);
  const classes = await snapshot.read<{ class: number; count: number }>(
    `with ${tail}
     select class, sum(count)::bigint as count from (
       select s.* from ${periods}
       cross join lateral (select class, count from report_classes where ${ofPeriod} offset 0) s
       union all
       select d.* from ${slivers}
       cross join lateral (select amount_class(amount), 1 from donations where ${ofSliver} ${byTime}) d
       union all
       select amount_class(d.amount), 1 from ${unrolled.overlapping}
     ) part group by class order by class`,
    values,
  );
  const count = classes.reduce((sum, row) => sum + row.count, 0);
  if (count === 0) return null;
  const middle = [Math.ceil(count / 2), Math.floor(count / 2) + 1].map((rank) => at(classes, rank));
  const wanted = [...new Set(middle.map(({ row }) => row.class))];
  const amounts = await snapshot.read<{ class: number; amount: string; count: number }>(
    `with ${tail}
     select class, amount, sum(count)::bigint as count from (
       select c.class, s.* from ${periods}
       cross join lateral (
         select period, source, class from report_classes where ${ofPeriod} and class = any(@classes::smallint[]) offset 0
       ) c
       cross join lateral (
         select amount, count from report_amounts
         where streamer_id = @streamer::uuid and grain = piece.grain and period = c.period and source = c.source and class = c.class offset 0
       ) s
       union all
       select d.* from ${slivers}
       cross join lateral (select amount_class(amount) as class, amount, 1 from donations where ${ofSliver} ${byTime}) d
       where d.class = any(@classes::smallint[])
       union all
       select amount_class(d.amount), d.amount, 1 from ${unrolled.overlapping} where amount_class(d.amount) = any(@classes::smallint[])
     ) part group by class, amount order by amount`,
    { ...values, classes: wanted },
  );
  const [lower, upper] = middle.map(({ row, rank }) =>
    decimal(
      at(
        amounts.filter((one) => one.class === row.class),
        rank,
      ).row.amount,
    ),
  );
  return [lower as Decimal, upper as Decimal];
}

/** How many different donators each span has. */
export async function uniqueDonators(snapshot: Snapshot, spans: readonly Span[], layout: Layout): Promise<number[]> {
  const wholes = spans.map(wholePeriod);
  const counted = await countedDonators(snapshot, spans, wholes, layout);
  const distinct = await distinctDonators(snapshot, spans, wholes, layout);
  return spans.map((_, index) => counted.get(index) ?? distinct.get(index) ?? 0);
}

type Wholes = readonly (Piece | null)[];

/** Of spans that are one period: their number is kept; only the tail's donators are looked up. */
async function countedDonators(snapshot: Snapshot, spans: readonly Span[], wholes: Wholes, layout: Layout): Promise<Map<number, number>> {
  const whole = wholes.flatMap((piece, span) => (piece ? [{ span, ...piece }] : []));
  if (whole.length === 0) return new Map();
  const rows = await snapshot.read<{ span: number; donators: number }>(
    `with ${tail},
     piece as materialized (select * from ${periods}),
     newcomers as (
       select d.span, count(*) as donators
       from (select distinct span, d.donator_key from ${unrolled[layout]}) d join piece using (span)
       where not exists (
         select from (${numberOf("d.donator_key")}) known
         cross join lateral (
           select from report_donator_sums
           where streamer_id = @streamer::uuid and grain = piece.grain and period = piece.first and donator = known.donator
             and source = any(@sources::text[])
           limit 1
         ) s
       )
       group by d.span
     )
     select piece.span, (coalesce(s.donators, 0) + coalesce(n.donators, 0))::bigint as donators
     from piece
     cross join lateral (
       select sum(donators) as donators from report_donator_counts
       where streamer_id = @streamer::uuid and grain = piece.grain and period = piece.first and sources & @bits::smallint <> 0
     ) s
     left join newcomers n using (span)`,
    { ...bindPieces({ periods: whole, slivers: [] }), ...bindSpans(spans), bits: bitsOf(snapshot.sources) },
  );
  return new Map(rows.map(({ span, donators }) => [span, donators]));
}

/** Of the other spans the donators themselves are gathered. */
async function distinctDonators(snapshot: Snapshot, spans: readonly Span[], wholes: Wholes, layout: Layout): Promise<Map<number, number>> {
  if (!wholes.includes(null)) return new Map();
  const rows = await snapshot.read<{ span: number; donators: number }>(
    `with ${tail}
     select span, count(*) as donators from (
       select piece.span, s.donator::bigint from ${periods}
       cross join lateral (select donator from report_donator_sums where ${ofPeriod} offset 0) s
       union
       select sliver.span, r.donator from ${slivers}
       cross join lateral (select distinct donator_key from (select donator_key from donations where ${ofSliver} ${byTime}) s) d
       cross join lateral (${numberOf("d.donator_key")}) r
       union
       select d.span, coalesce(r.donator, -d.number)
       from (
         select span, d.donator_key, dense_rank() over (order by d.donator_key) as number from ${unrolled[layout]}
         group by span, d.donator_key
       ) d
       left join lateral (${numberOf("d.donator_key")}) r on true
     ) donator group by span`,
    bind(spans, grains.donators, (index) => wholes[index] === null),
  );
  return new Map(rows.map(({ span, donators }) => [span, donators]));
}

/** The best donators of a span. */
export async function topDonators(
  snapshot: Snapshot,
  span: Span,
  { by, limit }: { by: "amount" | "count"; limit: number },
): Promise<Donator[]> {
  const rows = await snapshot.read<DonatorRow>(
    `with ${tail},
     part as materialized (
       select s.* from ${periods}
       cross join lateral (
         select donator::bigint, count, amount, first_at, last_at, last_sequence from report_donator_sums where ${ofPeriod} offset 0
       ) s
       union all
       select r.donator, 1, d.amount, d.created_at, d.created_at, d.sequence from ${slivers}
       cross join lateral (select donator_key, amount, created_at, sequence from donations where ${ofSliver} ${byTime}) d
       cross join lateral (${numberOf("d.donator_key")}) r
       union all
       select coalesce(r.donator, -d.number), 1, d.amount, d.created_at, d.created_at, d.sequence
       from (select d.*, dense_rank() over (order by d.donator_key) as number from ${unrolled.overlapping}) d
       left join lateral (${numberOf("d.donator_key")}) r on true
     ),
     best as (
       select donator, sum(count)::bigint as count, sum(amount) as total, min(first_at) as first_at, max(last_at) as last_at,
         rank() over (order by sum(${by}) desc) as rank
       from part group by donator
       order by rank, last_at desc fetch first (@limit::int) rows with ties
     ),
     latest as (
       select distinct on (donator) donator, last_sequence
       from part where donator in (select donator from best)
       order by donator, part.last_at desc, last_sequence desc
     )
     select b.rank, b.count, b.total, to_millis(b.first_at) as first_at, to_millis(b.last_at) as last_at, d.donator_name as name, d.identifier
     from best b join latest using (donator)
     cross join lateral (
       select donator_key, donator_name, identifier from donations
       where ${hasSequence("latest.last_sequence")}
     ) d
     order by b.rank, b.last_at desc, d.donator_key collate "C" limit @limit::int`,
    { ...bind([span], grains.donators), limit },
  );
  return rows.map(toDonator);
}

type SumRow = { count: number; total: string };
type DonatorRow = SumRow & { rank: number; name: string; identifier: string | null; first_at: number; last_at: number };

function toSum({ total, count }: SumRow): Sum {
  return { total: decimal(total), count };
}

function toDonator(row: DonatorRow): Donator {
  return { ...toSum(row), rank: row.rank, name: row.name, identifier: row.identifier, firstAt: row.first_at, lastAt: row.last_at };
}

/** The row that holds the item of a rank (from 1), and the rank within it. */
function at<Row extends { count: number }>(rows: readonly Row[], rank: number): { row: Row; rank: number } {
  for (const row of rows) {
    if (rank <= row.count) return { row, rank };
    rank -= row.count;
  }
  throw new Error("the roll-ups of amounts do not add up");
}

/** As the counts of donators write a set of sources. */
function bitsOf(sources: readonly Source[]): number {
  const bit = { external: 1, native: 2, test: 4 };
  return sources.reduce((bits, source) => bits | bit[source], 0);
}

type Labelled<T> = T & { span: number };
type Values = Record<string, unknown>;

/** The pieces of the chosen spans, and the ends of all. */
function bind(spans: readonly Span[], largestFirst: Grains, chosen: (index: number) => boolean = () => true): Values {
  const parts = spans.flatMap((span, index) => (chosen(index) ? [{ index, ...decompose(span, largestFirst) }] : []));
  const labelled = {
    periods: parts.flatMap(({ index, periods }) => periods.map((piece) => ({ span: index, ...piece }))),
    slivers: parts.flatMap(({ index, slivers }) => slivers.map((sliver) => ({ span: index, ...sliver }))),
  };
  return { ...bindPieces(labelled), ...bindSpans(spans) };
}

function bindPieces({ periods, slivers }: { periods: Labelled<Piece>[]; slivers: Labelled<Pieces["slivers"][number]>[] }): Values {
  return {
    piece_span: periods.map(({ span }) => span),
    grain: periods.map(({ grain }) => grain),
    first: periods.map(({ first }) => first),
    last: periods.map(({ last }) => last),
    sliver_span: slivers.map(({ span }) => span),
    sliver_from: slivers.map(({ from }) => from),
    sliver_to: slivers.map(({ to }) => to),
  };
}

function bindSpans(spans: readonly Span[]): Values {
  return { span_from: spans.map(({ from }) => from), span_to: spans.map(({ to }) => to) };
}
