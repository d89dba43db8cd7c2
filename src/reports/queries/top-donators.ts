// Reads the donators with the highest sums.

import { decimal } from "../../db/decimal.ts";
import { decompose, grains, type Span } from "../roll-ups/periods.ts";
import { type Donator, topDonatorsOf } from "./short-history.ts";
import {
  bindSpansAndParts,
  byTime,
  hasSequence,
  numberOf,
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

type DonatorRow = {
  rank: number;
  count: number;
  total: string;
  name: string;
  identifier: string | null;
  first_at: number;
  last_at: number;
};

/** `named`: without donators who were erased. */
type Order = { by: "amount" | "count"; limit: number; named?: boolean };

/** What a donator has given, and the rank by amount among all donators; null for one of whom there is nothing that counts. */
export function standingOf(donatorKey: string): Part<Donator | null> {
  const always = { from: null, to: null };
  return {
    ofDonations: (donations) => {
      const place = donations.findLast((donation) => donation.donatorKey === donatorKey);
      const all = place ? topDonatorsOf(donations, always, { by: "amount", limit: donations.length }) : [];
      return all.find(({ key }) => key === donatorKey) ?? null;
    },
    ofRollUps: () => {
      const { sql, values, toResult } = queryTopDonators(always, { by: "amount", limit: 1 }, true);
      return { sql, values: { ...values, key: donatorKey }, toResult: (rows) => toResult(rows)[0] ?? null };
    },
  };
}

/** The donators of a span with the highest sums. */
export function topDonators(span: Span, order: Order): Part<Donator[]> {
  return { ofDonations: (donations) => topDonatorsOf(donations, span, order), ofRollUps: () => queryTopDonators(span, order) };
}

/** The number of the donator `@key`; of one who is not in the roll-ups yet the one that the tail has. */
const soughtDonator = `coalesce(
        (${numberOf("@key")}), (select p.donator from part p where p.last_sequence = (select max(sequence) from unrolled where donator_key = @key) limit 1)
      )`;

/** `isOne`: of the donator `@key` alone, ranked among all. */
function queryTopDonators(span: Span, { by, limit, named = false }: Order, isOne = false): Query<Donator[]> {
  return {
    sql: `with ${spanTable},
      part as materialized (${unionOf(credited(named))}),
      ${named ? `${erased},` : ""}
      ranked as (
        select donator, sum(count)::bigint as count, sum(amount) as total, min(first_at) as first_at, max(last_at) as last_at,
          rank() over (order by sum(${by}) desc) as rank
        from part ${named ? `where donator not in (select donator from erased)` : ""} group by donator
      ),
      best as (
        select * from ranked ${isOne ? `where donator = ${soughtDonator}` : ""} order by rank, last_at desc fetch first (@limit::int) rows with ties
      ),
      latest as (
        select distinct on (donator) donator, last_sequence
        from part where donator in (select donator from best)
        order by donator, part.last_at desc, last_sequence desc
      )
      select b.rank, b.count, b.total::text as total, to_millis(b.first_at) as first_at, to_millis(b.last_at) as last_at,
        d.donator_name as name, d.identifier
      from best b join latest using (donator)
      cross join lateral (
        select donator_key, donator_name, identifier from donations
        where ${hasSequence("latest.last_sequence")}
      ) d
      order by b.rank, b.last_at desc, d.donator_key collate "C" limit @limit::int`,
    values: { ...bindSpansAndParts([span], decompose, grains.donators), limit },
    toResult: (rows: readonly DonatorRow[]) => rows.map(toDonator),
  };
}

/**
 * The numbers of erased donators: those with keys of erasures alone. One with another key as well was erased by age and has donated since, or
 * that key is not forgotten yet: the latest donation decides.
 */
const erased = `erased_key as materialized (
        select donator, bool_and(key like 'e:%') as wholly from report_donators
        where streamer_id = @streamer::uuid and (select has_erasures from streamers where id = @streamer::uuid)
        group by donator having bool_or(key like 'e:%')
      ),
      erased as materialized (
        select donator from erased_key where wholly
        union all select donator from (
          select distinct on (donator) donator, last_sequence from part where donator in (select donator from erased_key where not wholly)
          order by donator, last_at desc, last_sequence desc
        ) latest where (select donator_key from donations where ${hasSequence("latest.last_sequence")}) like 'e:%'
      )`;

const credited = (named: boolean) => ({
  periods: `select s.* from ${periods}
    cross join lateral (
      select donator::bigint, count, amount, first_at, last_at, last_sequence from report_donator_sums where ${ofPeriod} offset 0
    ) s`,
  partials: `select r.donator, 1, d.amount, d.created_at, d.created_at, d.sequence from ${partials}
    cross join lateral (select donator_key, amount, created_at, sequence from donations where ${ofPartialPeriod} ${byTime}) d
    cross join lateral (${numberOf("d.donator_key")}) r`,
  tail: `select coalesce(r.donator, -d.number) as donator, 1 as count, d.amount, d.created_at as first_at, d.created_at as last_at,
      d.sequence as last_sequence
    from (select d.*, dense_rank() over (order by d.donator_key) as number from ${unrolled.overlapping}) d
    left join lateral (${numberOf("d.donator_key")}) r on true
    ${named ? "where r.donator is not null or d.donator_key not like 'e:%'" : ""}`,
});

function toDonator(row: DonatorRow): Donator {
  const { rank, count, name, identifier, first_at: firstAt, last_at: lastAt } = row;
  return { rank, total: decimal(row.total), count, name, identifier, firstAt, lastAt };
}
