// Reads the donators with the highest sums.

import { decimal } from "../db/decimal.ts";
import { grains, type Span } from "./periods.ts";
import { bindSpansAndPieces, byTime, hasSequence, numberOf, ofPeriod, ofSliver, periods, slivers, tail, unrolled } from "./query-parts.ts";
import type { Snapshot } from "./snapshot.ts";
import type { Sum } from "./sums.ts";

export type Donator = Sum & Readonly<{ rank: number; name: string; identifier: string | null; firstAt: number; lastAt: number }>;

type DonatorRow = {
  rank: number;
  count: number;
  total: string;
  name: string;
  identifier: string | null;
  first_at: number;
  last_at: number;
};

/** The donators of a span with the highest sums. */
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
    { ...bindSpansAndPieces([span], grains.donators), limit },
  );
  return rows.map(toDonator);
}

function toDonator(row: DonatorRow): Donator {
  const { rank, count, name, identifier, first_at: firstAt, last_at: lastAt } = row;
  return { rank, total: decimal(row.total), count, name, identifier, firstAt, lastAt };
}
