// Reads sums, counts, extremes and medians of donations.

import { type Decimal, decimal, zero } from "../../db/decimal.ts";
import { balance, decompose, grains, type Span } from "../roll-ups/periods.ts";
import { type Channel, channelSumsOf, type Extremes, extremesOf, middleAmountsOf, type Sum, sumsOf } from "./short-history.ts";
import {
  bindSpansAndParts,
  byTime,
  hasSequence,
  type Layout,
  ofPartialPeriod,
  ofPeriod,
  type Part,
  partials,
  periods,
  type Query,
  spanTable,
  unionOf,
  unrolled,
} from "./snapshot.ts";

type SumRow = { count: number; total: string };

/** Sum and count of every span. */
export function sums(spans: readonly Span[], layout: Layout): Part<Sum[]> {
  return { ofDonations: (donations) => sumsOf(donations, spans), ofRollUps: () => querySums(spans, layout) };
}

function querySums(spans: readonly Span[], layout: Layout): Query<Sum[]> {
  const added = {
    periods: `select run.span, s.count * run.sign as count, s.amount * run.sign as amount from ${periods}
      cross join lateral (select sum(count) as count, sum(amount) as amount from report_sums where ${ofPeriod} having count(*) > 0) s`,
    partials: `select partial.span, partial.sign, d.amount * partial.sign from ${partials}
      cross join lateral (select amount from donations where ${ofPartialPeriod} ${byTime}) d`,
    tail: `select d.span, 1 as count, d.amount from (select span, d.amount from ${unrolled[layout]}) d`,
  };
  return {
    sql: `with ${spanTable}
      select span, sum(count)::bigint as count, sum(amount)::text as total from (${unionOf(added)}) part group by span`,
    values: bindSpansAndParts(spans, balance, grains.sums),
    toResult(rows: readonly (SumRow & { span: number })[]) {
      const bySpan = new Map(rows.map((row) => [row.span, toSum(row)]));
      return spans.map((_, index) => bySpan.get(index) ?? { total: zero, count: 0 });
    },
  };
}

/** Sum and count of each channel with donations. */
export function channelSums(span: Span): Part<Map<Channel, Sum>> {
  return { ofDonations: (donations) => channelSumsOf(donations, span), ofRollUps: () => queryChannelSums(span) };
}

function queryChannelSums(span: Span): Query<Map<Channel, Sum>> {
  const added = {
    periods: `select s.channel, s.count * run.sign as count, s.amount * run.sign as amount from ${periods}
      cross join lateral (select channel, count, amount from report_sums where ${ofPeriod} offset 0) s`,
    partials: `select d.channel, partial.sign, d.amount * partial.sign from ${partials}
      cross join lateral (select channel, amount from donations where ${ofPartialPeriod} ${byTime}) d`,
    tail: `select d.channel, 1 as count, d.amount from ${unrolled.overlapping}`,
  };
  return {
    sql: `with ${spanTable}
      select channel, sum(count)::bigint as count, sum(amount)::text as total from (${unionOf(added)}) part group by channel`,
    values: bindSpansAndParts([span], balance, grains.sums),
    toResult: (rows: readonly (SumRow & { channel: Channel })[]) => new Map(rows.map((row) => [row.channel, toSum(row)])),
  };
}

type ExtremesRow = { smallest: string; largest: string; largest_id: string; latest_id: string };

/** Smallest, largest and latest of a span; null without donations. */
export function extremes(span: Span): Part<Extremes | null> {
  return { ofDonations: (donations) => extremesOf(donations, span), ofRollUps: () => queryExtremes(span) };
}

function queryExtremes(span: Span): Query<Extremes | null> {
  const found = {
    periods: `select s.* from ${periods}
      cross join lateral (
        select smallest, largest, largest_sequence, last_at, last_sequence from report_sums where ${ofPeriod} offset 0
      ) s`,
    partials: `select d.* from ${partials}
      cross join lateral (select amount, amount, sequence, created_at, sequence from donations where ${ofPartialPeriod} ${byTime}) d`,
    tail: `select d.amount as smallest, d.amount as largest, d.sequence as largest_sequence, d.created_at as last_at, d.sequence as last_sequence
      from ${unrolled.overlapping}`,
  };
  return {
    sql: `with ${spanTable},
      part as materialized (${unionOf(found)}),
      largest as (select largest as amount, largest_sequence as sequence from part order by largest desc, largest_sequence desc limit 1),
      latest as (select last_sequence as sequence from part order by last_at desc, last_sequence desc limit 1)
      select (select min(smallest) from part)::text as smallest, largest.amount::text as largest,
        (select id from donations where ${hasSequence("largest.sequence")}) as largest_id,
        (select id from donations where ${hasSequence("latest.sequence")}) as latest_id
      from largest, latest`,
    values: bindSpansAndParts([span], decompose, grains.sums),
    toResult: ([row]: readonly ExtremesRow[]) =>
      row ? { smallest: decimal(row.smallest), largest: decimal(row.largest), largestId: row.largest_id, latestId: row.latest_id } : null,
  };
}

function toSum({ total, count }: SumRow): Sum {
  return { total: decimal(total), count };
}

/**
 * The two amounts in the middle, which are equal when there is only one; null without donations. First their size classes are found, then the
 * amounts in these.
 */
export function middleAmounts(span: Span): Part<[Decimal, Decimal] | null> {
  return { ofDonations: (donations) => middleAmountsOf(donations, span), ofRollUps: () => queryMiddleAmounts(span) };
}

function queryMiddleAmounts(span: Span): Query<[Decimal, Decimal] | null> {
  return {
    sql: `with ${spanTable},
      class_part as (${unionOf(countedClasses)}),
      class_sum as (
        select class, sum(count) as count, sum(sum(count)) over (order by class) as upto, sum(sum(count)) over () as total
        from class_part group by class
      ),
      wanted as materialized (
        select * from class_sum
        where ceil(total / 2) > upto - count and ceil(total / 2) <= upto or floor(total / 2) + 1 > upto - count and floor(total / 2) + 1 <= upto
      ),
      amount_part as (${unionOf(countedAmounts)}),
      amount_sum as (
        select amount, (select min(upto - count) from wanted) + sum(sum(count)) over (order by amount) as upto,
          (select max(total) from wanted) as total
        from amount_part group by amount
      )
      select (min(amount) filter (where upto >= ceil(total / 2)))::text as lower,
        (min(amount) filter (where upto >= floor(total / 2) + 1))::text as upper
      from amount_sum`,
    values: bindSpansAndParts([span], balance, grains.amounts),
    toResult: ([row]: readonly { lower: string | null; upper: string | null }[]) =>
      row && row.lower !== null && row.upper !== null ? [decimal(row.lower), decimal(row.upper)] : null,
  };
}

// Counts as float8 are exact up to 2^53; sums of bigint would be numeric, which took a third of the median's time.
const countedClasses = {
  periods: `select s.class, (s.count * run.sign)::float8 as count from ${periods}
    cross join lateral (select class, count from report_classes where ${ofPeriod} offset 0) s`,
  partials: `select d.class, partial.sign from ${partials}
    cross join lateral (select amount_class(amount) as class from donations where ${ofPartialPeriod} ${byTime}) d`,
  tail: `select amount_class(d.amount) as class, 1 as count from ${unrolled.overlapping}`,
};

const isWanted = "class = any(array(select class from wanted))";

const countedAmounts = {
  periods: `select s.amount, (s.count * run.sign)::float8 as count from ${periods}
    cross join lateral (select period, source, class from report_classes where ${ofPeriod} and ${isWanted} offset 0) c
    cross join lateral (
      select amount, count from report_amounts
      where streamer_id = @streamer::uuid and grain = run.grain and period = c.period and source = c.source and class = c.class offset 0
    ) s`,
  partials: `select d.amount, partial.sign from ${partials}
    cross join lateral (select amount_class(amount) as class, amount from donations where ${ofPartialPeriod} ${byTime}) d where ${isWanted}`,
  tail: `select amount, 1 as count from (select d.amount, amount_class(d.amount) as class from ${unrolled.overlapping}) d where ${isWanted}`,
};
