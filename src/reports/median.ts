// Computes the median amount of a span.

import { type Decimal, decimal } from "../db/decimal.ts";
import { grains, type Span } from "./periods.ts";
import { bindSpansAndPieces, byTime, ofPeriod, ofSliver, periods, slivers, tail, unrolled } from "./query-parts.ts";
import type { Snapshot } from "./snapshot.ts";

/** The two amounts in the middle, which are equal when there is only one; null without donations. First their size class is found, then the amounts. */
export async function middleAmounts(snapshot: Snapshot, span: Span): Promise<[Decimal, Decimal] | null> {
  const values = bindSpansAndPieces([span], grains.amounts);
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
  const middle = [Math.ceil(count / 2), Math.floor(count / 2) + 1].map((rank) => rowOfRank(classes, rank));
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
      rowOfRank(
        amounts.filter((one) => one.class === row.class),
        rank,
      ).row.amount,
    ),
  );
  return [lower as Decimal, upper as Decimal];
}

/** The row that contains the item with a rank (from 1), and its rank within the row. */
function rowOfRank<Row extends { count: number }>(rows: readonly Row[], rank: number): { row: Row; rank: number } {
  for (const row of rows) {
    if (rank <= row.count) return { row, rank };
    rank -= row.count;
  }
  throw new Error("the roll-ups of amounts do not add up");
}
