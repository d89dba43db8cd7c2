// Computes the median amount of a span.

import { type Decimal, decimal } from "../../db/decimal.ts";
import { balance, grains, type Span } from "../roll-ups/periods.ts";
import { bindSpansAndParts, byTime, ofPartialPeriod, ofPeriod, partials, periods, spanTable, unionOf, unrolled } from "./query-parts.ts";
import { middleAmountsOf } from "./short-history.ts";
import type { Part, Query } from "./snapshot.ts";

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
