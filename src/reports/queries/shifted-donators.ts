// Counts the donators of weeks, months and years of other zones, which are those of +07:00 but for a few hours.

import type { Cut, Gathered, PeriodRun } from "../roll-ups/periods.ts";
import type { Labelled } from "./query-parts.ts";
import type { Query } from "./snapshot.ts";

/** A span that is one period of a grain without the hours that it lost, and with those that it won outside the period. */
export type Shift = Labelled<{ cut: Cut; lost: PeriodRun; won: PeriodRun | null }>;

/** A week, a month or a year of another zone is such a span. */
export function shiftOf(span: number, { periods, cuts, partials }: Gathered): Shift[] {
  const [cut, won = null] = [cuts[0], periods[0]];
  const fits = cuts.length === 1 && partials.length === 0 && periods.length <= 1 && (won === null || isUpToADay(won));
  return fits && cut?.missing ? [{ span, cut, lost: cut.missing, won }] : [];
}

const hours = 2;

function isUpToADay({ grain, first, last }: PeriodRun): boolean {
  return grain === hours && last - first < 24;
}

/** The stored count of the period, changed by the donators of a few hours who donated nowhere else in the span. */
export function shiftedDonators(shifts: readonly Shift[]): Pick<Query<number[]>, "sql" | "values"> {
  const ofHours = (kind: "lost" | "won") => `
    select donator::bigint, ${kind === "lost"} as lost from report_donator_sums
    where streamer_id = @streamer::uuid and grain = ${hours} and period between shift.${kind}_first and shift.${kind}_last
      and source = any(@sources::text[])`;
  return {
    sql: `select shift.span, (whole.donators + moved.donators)::bigint as donators
      from unnest(@shift_span::int[], @shift_grain::smallint[], @shift_period::int[], @shift_from::bigint[], @shift_to::bigint[],
        @lost_first::int[], @lost_last::int[], @won_first::int[], @won_last::int[])
        as shift(span, grain, period, first, after, lost_first, lost_last, won_first, won_last)
      left join tail_donators t on t.span = shift.span
      cross join lateral (
        select coalesce(sum(donators), 0) as donators from report_donator_counts
        where streamer_id = @streamer::uuid and grain = shift.grain and period = shift.period and sources & @bits::smallint <> 0 offset 0
      ) whole
      cross join lateral (
        select count(*) filter (where won) - count(*) filter (where lost) as donators
        from (
          select donator, bool_or(lost) as lost, bool_or(not lost) as won from (
            ${ofHours("lost")} union all ${ofHours("won")} union all select unnest(t.donators), false
          ) d group by donator
        ) d
        left join lateral (
          select true as stays from report_donator_sums
          where streamer_id = @streamer::uuid and grain = shift.grain and period = shift.period and donator = d.donator
            and source = any(@sources::text[]) and last_at >= from_millis(shift.first) and first_at < from_millis(shift.after) limit 1
        ) s on true
        where s.stays is null offset 0
      ) moved`,
    values: {
      shift_span: shifts.map(({ span }) => span),
      shift_grain: shifts.map(({ cut }) => cut.grain),
      shift_period: shifts.map(({ cut }) => cut.period),
      shift_from: shifts.map(({ cut }) => cut.from),
      shift_to: shifts.map(({ cut }) => cut.to),
      lost_first: shifts.map(({ lost }) => lost.first),
      lost_last: shifts.map(({ lost }) => lost.last),
      won_first: shifts.map(({ won }) => won?.first ?? null),
      won_last: shifts.map(({ won }) => won?.last ?? null),
    },
  };
}
