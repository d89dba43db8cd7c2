// Counts different donators.

import { type Cut, type Gathered, type PeriodRun, type Span, splitForDonators, wholePeriod } from "../roll-ups/periods.ts";
import { type Source, uniqueDonatorsOf } from "./short-history.ts";
import {
  bindPartialPeriods,
  bindPeriods,
  bindSpans,
  byTime,
  type Labelled,
  type Layout,
  labelled,
  numberOf,
  ofPartialPeriod,
  ofPeriod,
  type Part as ReportPart,
  type Query as ReportQuery,
  type Subject,
  spanTable,
  unrolled,
} from "./snapshot.ts";

type Query = Pick<ReportQuery<number[]>, "sql" | "values">;

/** How many different donators each span has. */
export function uniqueDonators(spans: readonly Span[], layout: Layout): ReportPart<number[]> {
  return {
    ofDonations: (donations) => uniqueDonatorsOf(donations, spans),
    ofRollUps: (subject) => queryUniqueDonators(subject, spans, layout),
  };
}

function queryUniqueDonators(subject: Subject, spans: readonly Span[], layout: Layout): ReportQuery<number[]> {
  const { sql, values } = ofRollUps(subject, spans, layout);
  return {
    sql: `with ${spanTable} ${sql}`,
    values: { ...values, ...bindSpans(spans) },
    toResult(rows: readonly { span: number; donators: number }[]) {
      const bySpan = new Map(rows.map(({ span, donators }) => [span, donators]));
      return spans.map((_, index) => bySpan.get(index) ?? 0);
    },
  };
}

/** Four queries count spans that are one period, spans that are one but for a few hours, spans that are a run of periods, and all others. */
function ofRollUps(subject: Subject, spans: readonly Span[], layout: Layout): Query {
  const wholes = spans.map(wholePeriod);
  const whole = wholes.flatMap((run, span) => (run ? [{ span, ...run }] : []));
  const gathered = spans.flatMap((span, index) => (wholes[index] ? [] : [{ index, ...splitForDonators(span) }]));
  const shifted = gathered.flatMap(({ index, ...part }) => shiftOf(index, part));
  const runs = gathered.flatMap(({ index, ...part }) => runOf(index, part));
  const counted = new Set([...shifted, ...runs].map(({ span }) => span));
  const parts = gathered.filter(({ index }) => !counted.has(index));
  const queries = [
    ...(whole.length > 0 ? [countedDonators(whole, layout)] : []),
    ...(shifted.length > 0 ? [shiftedDonators(shifted)] : []),
    ...(runs.length > 0 ? [donatorsOfRuns(runs)] : []),
    ...(parts.length > 0 ? [distinctDonators(parts)] : []),
  ];
  return {
    sql: `, tail_donators as materialized (
        select d.span, array_agg(coalesce(r.donator, -d.number)) as donators
        from (
          select span, d.donator_key, dense_rank() over (order by d.donator_key) as number from ${unrolled[layout]}
          group by span, d.donator_key
        ) d
        left join lateral (${numberOf("d.donator_key")}) r on true
        group by d.span
      )
      ${queries.map(({ sql }) => `select span, donators from (${sql}) d`).join(" union all ")}`,
    values: Object.assign({ bits: bitsOf(subject.sources) }, ...queries.map(({ values }) => values)),
  };
}

/** For spans that are one period: their counts are stored, and only the donators of the tail are looked up. */
function countedDonators(whole: readonly Labelled<PeriodRun>[], layout: Layout): Query {
  return {
    sql: `with whole as materialized (
        select * from unnest(@whole_span::int[], @whole_grain::smallint[], @whole_first::int[]) as whole(span, grain, period)
      ),
      newcomers as (
        select d.span, count(*) as donators
        from (select distinct span, d.donator_key from ${unrolled[layout]}) d join whole using (span)
        where not exists (
          select from (${numberOf("d.donator_key")}) known
          cross join lateral (
            select from report_donator_sums
            where streamer_id = @streamer::uuid and grain = whole.grain and period = whole.period and donator = known.donator
              and source = any(@sources::text[])
            limit 1
          ) s
        )
        group by d.span
      )
      select whole.span, (coalesce(s.donators, 0) + coalesce(n.donators, 0))::bigint as donators
      from whole
      cross join lateral (
        select sum(donators) as donators from report_donator_counts
        where streamer_id = @streamer::uuid and grain = whole.grain and period = whole.period and sources & @bits::smallint <> 0
      ) s
      left join newcomers n using (span)`,
    values: arraysOf("whole", whole, ["span", "grain", "first"]),
  };
}

/** A day of another zone is such a span: a run of hours. */
function runOf(span: number, { periods, cuts, partials }: Gathered): Labelled<PeriodRun>[] {
  return cuts.length === 0 && partials.length === 0 && periods.length === 1 ? periods.map((run) => ({ ...run, span })) : [];
}

/** Spans that have no tail, as most do, are counted straight from the index. */
function donatorsOfRuns(runs: readonly Labelled<PeriodRun>[]): Query {
  // `is true` keeps the sources out of the scan's conditions, which PostgreSQL 18 checks more slowly than it filters rows.
  const ofRun = `select donator from report_donator_sums where streamer_id = @streamer::uuid and grain = run.grain
    and period between run.first and run.last and (source = any(@sources::text[])) is true`;
  return {
    sql: `select span, case when t.donators is null then (select count(distinct donator) from (${ofRun}) s)
        else (select count(distinct donator) from (${ofRun} union all select unnest(t.donators)) s) end as donators
      from unnest(@only_span::int[], @only_grain::smallint[], @only_first::int[], @only_last::int[]) as run(span, grain, first, last)
      left join tail_donators t using (span)`,
    values: arraysOf("only", runs, ["span", "grain", "first", "last"]),
  };
}

/** For other spans the donators themselves are read, one span at a time, because many small sets are cheaper than a large one. */
function distinctDonators(parts: readonly Part[]): Query {
  return {
    sql: `select part.span, found.donators
      from unnest(@part_span::int[], @last_run::int[], @last_cut::int[], @last_partial::int[])
        with ordinality as part(span, run, cut, partial, place)
      left join tail_donators t on t.span = part.span
      cross join lateral (
        select count(*) as donators from (
          select distinct donator from (
            ${waysToGather(parts).join(" union all ")}
          ) d
        ) d offset 0
      ) found`,
    values: bindParts(parts),
  };
}

type Part = Gathered & { index: number };

/** Selects the numbers of the donators of a part, in the ways that some part needs: each way has a cost for every part. */
function waysToGather(parts: readonly Part[]): string[] {
  const cuts = parts.flatMap((part) => part.cuts);
  return [
    "select unnest(t.donators) as donator",
    ...(parts.some(({ periods }) => periods.length > 0) ? [ofPeriods] : []),
    ...(cuts.some(({ missing }) => missing === null) ? [ofCuts] : []),
    ...(cuts.some(({ missing }) => missing !== null) ? [ofCutsByHours] : []),
    ...(parts.some(({ partials }) => partials.length > 0) ? [ofPartialPeriods] : []),
  ];
}

const ofPeriods = `
  select s.donator::bigint from unnest(${ofPart("run", ["grain::smallint", "first::int", "last::int"])}) as run(grain, first, last)
  cross join lateral (select donator from report_donator_sums where ${ofPeriod} offset 0) s`;

const ofPartialPeriods = `
  select r.donator::bigint from unnest(${ofPart("partial", ["partial_from::bigint", "partial_to::bigint"])}) as partial(first, after)
  cross join lateral (select distinct donator_key from (select donator_key from donations where ${ofPartialPeriod} ${byTime}) s) d
  cross join lateral (${numberOf("d.donator_key")}) r`;

const ofCut = "streamer_id = @streamer::uuid and grain = cut.grain and period = cut.period and source = any(@sources::text[])";

const cutArrays = [
  "cut_grain::smallint",
  "cut_period::int",
  "cut_from::bigint",
  "cut_to::bigint",
  "missing_first::int",
  "missing_last::int",
];

/** The parts' beginnings and ends of periods. */
const cuts = `unnest(${ofPart("cut", cutArrays)}) as cut(grain, period, first, after, missing_first, missing_last)`;

/** Donators of a part of a period, by their first and last times, which are in the table; the index alone lists those of the whole period. */
function stays(condition: string): string {
  return `select donator from report_donator_sums where ${ofCut} and ${condition}
    and last_at >= from_millis(cut.first) and first_at < from_millis(cut.after) offset 0`;
}

const ofCuts = `select s.donator::bigint from ${cuts} cross join lateral (${stays("true")}) s where cut.missing_first is null`;

/** All donators of the whole period, except those who donated only in the missing hours. */
const ofCutsByHours = `
  select s.donator::bigint from ${cuts} cross join lateral (
    select donator from report_donator_sums where ${ofCut} and donator <> all (array(
      select m.donator from (
        select distinct donator from report_donator_sums
        where streamer_id = @streamer::uuid and grain = 2 and period between cut.missing_first and cut.missing_last
          and source = any(@sources::text[])
      ) m
      where not exists (${stays("donator = m.donator")})
    )) offset 0
  ) s where cut.missing_first is not null`;

/** The slice of a part in arrays that contain the parts of one kind of all parts, one part after the other. */
function ofPart(kind: "run" | "cut" | "partial", arrays: readonly string[]): string {
  const before = `coalesce((@last_${kind}::int[])[part.place - 1], 0)`;
  return arrays
    .map((array) => {
      const [name, type] = array.split("::");
      return `(@${name}::${type}[])[${before} + 1 : part.${kind}]`;
    })
    .join(", ");
}

function bindParts(parts: readonly Part[]) {
  const cuts = parts.flatMap((part) => part.cuts);
  return {
    ...bindPeriods(labelled(parts.map(({ periods }) => periods))),
    ...bindPartialPeriods(parts.map(({ partials }) => partials)),
    ...arraysOf("cut", cuts, ["grain", "period", "from", "to"]),
    missing_first: cuts.map(({ missing }) => missing?.first ?? null),
    missing_last: cuts.map(({ missing }) => missing?.last ?? null),
    part_span: parts.map(({ index }) => index),
    last_run: runningTotal(parts.map(({ periods }) => periods.length)),
    last_cut: runningTotal(parts.map((part) => part.cuts.length)),
    last_partial: runningTotal(parts.map(({ partials }) => partials.length)),
  };
}

/** Values of a query: an array of each member of the rows, as `name_member`. */
function arraysOf<Row>(name: string, rows: readonly Row[], members: readonly (keyof Row & string)[]) {
  return Object.fromEntries(members.map((member) => [`${name}_${member}`, rows.map((row) => row[member])]));
}

function runningTotal(counts: readonly number[]): number[] {
  let total = 0;
  return counts.map((count) => (total += count));
}

/** A set of sources in the form of the stored counts of donators. */
function bitsOf(sources: readonly Source[]): number {
  const bit = { external: 1, native: 2, test: 4 };
  return sources.reduce((bits, source) => bits | bit[source], 0);
}

/** A span that is one period of a grain without the hours that it lost, and with those that it won outside the period. */
type Shift = Labelled<{ cut: Cut; lost: PeriodRun; won: PeriodRun | null }>;

/** A week, a month or a year of another zone is such a span. */
function shiftOf(span: number, { periods, cuts, partials }: Gathered): Shift[] {
  const [cut, won = null] = [cuts[0], periods[0]];
  const fits = cuts.length === 1 && partials.length === 0 && periods.length <= 1 && (won === null || isUpToADay(won));
  return fits && cut?.missing ? [{ span, cut, lost: cut.missing, won }] : [];
}

const hours = 2;

const isUpToADay = ({ grain, first, last }: PeriodRun): boolean => grain === hours && last - first < 24;

/** The stored count of the period, changed by the donators of a few hours who donated nowhere else in the span. */
function shiftedDonators(shifts: readonly Shift[]): Query {
  const lost = shifts.map((shift) => shift.lost);
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
      ...arraysOf(
        "shift",
        shifts.map(({ span, cut }) => ({ ...cut, span })),
        ["span", "grain", "period", "from", "to"],
      ),
      ...arraysOf("lost", lost, ["first", "last"]),
      won_first: shifts.map(({ won }) => won?.first ?? null),
      won_last: shifts.map(({ won }) => won?.last ?? null),
    },
  };
}
