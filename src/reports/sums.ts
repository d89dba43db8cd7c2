// Reads sums, counts and extremes of donations.

import { type Decimal, decimal, zero } from "../db/decimal.ts";
import type { Schemas } from "../http/operations.ts";
import { grains, type Span } from "./periods.ts";
import {
  bindSpansAndPieces,
  byTime,
  hasSequence,
  type Layout,
  ofPeriod,
  ofSliver,
  periods,
  slivers,
  tail,
  unrolled,
} from "./query-parts.ts";
import type { Snapshot } from "./snapshot.ts";

export type Channel = Schemas["Channel"];
export type Sum = Readonly<{ total: Decimal; count: number }>;
export type Extremes = Readonly<{ smallest: Decimal; largest: Decimal; largestId: string; latestId: string }>;

type SumRow = { count: number; total: string };

/** Sum and count of every span. */
export async function sums(snapshot: Snapshot, spans: readonly Span[], layout: Layout): Promise<Sum[]> {
  const rows = await snapshot.read<SumRow & { span: number }>(
    `with ${tail}
     select span, sum(count)::bigint as count, sum(amount) as total from (
       select piece.span, s.count, s.amount from ${periods}
       cross join lateral (select sum(count) as count, sum(amount) as amount from report_sums where ${ofPeriod} having count(*) > 0) s
       union all
       select sliver.span, 1, d.amount from ${slivers}
       cross join lateral (select amount from donations where ${ofSliver} ${byTime}) d
       union all
       select d.span, 1, d.amount from (select span, d.amount from ${unrolled[layout]}) d
     ) part group by span`,
    bindSpansAndPieces(spans, grains.sums),
  );
  const bySpan = new Map(rows.map((row) => [row.span, toSum(row)]));
  return spans.map((_, index) => bySpan.get(index) ?? { total: zero, count: 0 });
}

/** Sum and count of each channel with donations. */
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
    bindSpansAndPieces([span], grains.sums),
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
    bindSpansAndPieces([span], grains.sums),
  );
  return row
    ? { smallest: decimal(row.smallest), largest: decimal(row.largest), largestId: row.largest_id, latestId: row.latest_id }
    : null;
}

function toSum({ total, count }: SumRow): Sum {
  return { total: decimal(total), count };
}
