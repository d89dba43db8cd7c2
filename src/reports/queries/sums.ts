// Reads sums, counts and extremes of donations.

import { decimal, zero } from "../../db/decimal.ts";
import { balance, decompose, grains, type Span } from "../roll-ups/periods.ts";
import {
  bindSpansAndParts,
  byTime,
  hasSequence,
  type Layout,
  ofPartialPeriod,
  ofPeriod,
  partials,
  periods,
  spanTable,
  unionOf,
  unrolled,
} from "./query-parts.ts";
import { type Channel, channelSumsOf, type Extremes, extremesOf, type Sum, sumsOf } from "./short-history.ts";
import type { Part, Query } from "./snapshot.ts";

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
