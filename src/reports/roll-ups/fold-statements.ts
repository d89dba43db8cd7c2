// The statement that folds the next donations of a streamer into its roll-ups, and the function that does so on a node of Citus, which sends no
// insert inside of `with` as a whole: there each part that writes is a statement with the parts that it reads. Both are put together from the
// same parts.
//
// Folding runs alone: whoever folds holds the progress row. Sequences are assigned under the streamer's lock and the counter is committed with
// its donations, so every donation up to the last_sequence of a statement's snapshot is in the snapshot.

import { nodeFunction } from "../../db/citus/node-functions.ts";

/**
 * Names of SQL. `$1` is the streamer. `after`: its rolled_sequence; `upTo`: a condition that ends the range of sequences; `limit`: of
 * donations; `donators`: how many have a number.
 */
type Names = Readonly<{ after: string; upTo: string; limit: string; donators: string }>;

const nextOf = ({ after, upTo, limit }: Names) => `
  select sequence, donator_key, amount, source, channel, created_at, voided_at from donations
  where streamer_id = $1 and sequence > ${after}${upTo} order by sequence limit ${limit}`;

const reachedOf = ({ limit }: Names) => `
  select count(*) as donations,
    case when count(*) < ${limit} then (select last_sequence from streamers where id = $1) else max(sequence) end as sequence
  from next`;

// Void donations count nowhere. Those that are voided later are taken out of the roll-ups (removal.ts).
const batch = `batch as materialized (
  select d.sequence, d.donator_key, d.amount, d.source, d.channel, d.created_at,
    row_number() over (order by d.created_at, d.sequence) as place,
    row_number() over (order by d.amount, d.sequence) as size,
    floor(to_millis(d.created_at)::float8 / 900000)::int as quarter
  from (select * from next where voided_at is null) d
)`;

// Donations are first added up by quarters of an hour, of which a batch has few, and these by the longer periods. 1 BC is the year 0.
const calendar = `calendar as materialized (
  select quarter, floor(quarter / 4.0)::int as hour, floor((quarter + 28) / 96.0)::int as day,
    extract(month from at)::int - 1 as month_of_year,
    extract(year from at)::int + (extract(year from at) < 0)::int as year
  from (select distinct quarter from batch) q
  cross join lateral (select from_millis(quarter * 900000::bigint) at time zone interval '07:00' offset 0) begin(at)
)`;

/** The donators of the batch who have a number. */
const known = `
  select r.donator, r.key
  from (select distinct donator_key from batch) b
  cross join lateral (select donator, key from report_donators where streamer_id = $1 and key = b.donator_key offset 0) r`;

const gathered = `gathered as materialized (
  select g.*, first.created_at as first_at, latest.created_at as last_at, latest.sequence as last_sequence
  from (
    select grain, period, donator, source, sum(q.count)::bigint as count, sum(q.amount) as amount,
      min(q.first_place) as first_place, max(q.last_place) as last_place
    from (
      select quarter, donator_key, source, count(*), sum(amount) as amount, min(place) as first_place, max(place) as last_place
      from batch group by quarter, donator_key, source
    ) q
    join calendar using (quarter) join donator d on d.key = q.donator_key cross join lateral (
      values (2::smallint, hour), (3, day), (4, (day + 3) / 7 - ((day + 3) % 7 < 0)::int), (5, year * 12 + month_of_year), (6, year), (7, 0)
    ) g(grain, period)
    group by grain, period, donator, source
  ) g
  join batch first on first.place = g.first_place
  join batch latest on latest.place = g.last_place
)`;

// Donators whose set of sources changes: the roll-up is read in its state before this statement.
const seen = `seen as (
  select g.grain, g.period, coalesce(b.sources, 0::smallint) as before, (coalesce(b.sources, 0) | g.sources)::smallint as after
  from (select grain, period, donator, bit_or(source_bit(source)) as sources from gathered group by grain, period, donator) g
  cross join lateral (
    select bit_or(source_bit(source)) as sources from report_donator_sums
    where streamer_id = $1 and grain = g.grain and period = g.period and donator = g.donator
  ) b
)`;

const valued = `valued as materialized (
  select grain, period, source, amount_class(amount) as class, amount, sum(q.count)::bigint as count
  from (select quarter, source, amount, count(*) from batch group by quarter, source, amount) q
  join calendar using (quarter) cross join lateral (values (3::smallint, day), (5, year * 12 + month_of_year), (6, year), (7, 0)) g(grain, period)
  group by grain, period, source, amount
)`;

// The parts that write. `rows`: what they select behind the streamer's id.

type Write = Readonly<{ into: string; rows: string; conflict: string }>;

const numberedFrom = ({ donators }: Names): Write => ({
  into: "insert into report_donators (streamer_id, donator, key)",
  rows: `${donators} + row_number() over (order by min(b.sequence)), b.donator_key
  from batch b
  left join lateral (select donator from report_donators where streamer_id = $1 and key = b.donator_key offset 0) known on true
  where known.donator is null
  group by b.donator_key`,
  conflict: "",
});

const summed: Write = {
  into: "insert into report_sums as s",
  rows: `g.grain, g.period, g.source, g.channel, g.count, g.amount, g.smallest, largest.amount, largest.sequence,
    latest.created_at, latest.sequence
  from (
    select grain, period, source, channel, sum(q.count)::bigint as count, sum(q.amount) as amount, min(q.smallest) as smallest,
      max(q.size) as size, max(q.place) as place
    from (
      select quarter, source, channel, count(*), sum(amount) as amount, min(amount) as smallest, max(size) as size, max(place) as place
      from batch group by quarter, source, channel
    ) q
    join calendar using (quarter) cross join lateral (
      values (1::smallint, quarter), (2, hour), (3, day), (5, year * 12 + month_of_year), (6, year), (7, 0)
    ) g(grain, period)
    group by grain, period, source, channel
  ) g
  join batch largest on largest.size = g.size
  join batch latest on latest.place = g.place
  order by g.grain, g.period, g.source, g.channel`,
  conflict: `on conflict (streamer_id, grain, period, source, channel) do update set
    count = s.count + excluded.count,
    amount = s.amount + excluded.amount,
    smallest = least(s.smallest, excluded.smallest),
    largest = greatest(s.largest, excluded.largest),
    largest_sequence = case when excluded.largest >= s.largest then excluded.largest_sequence else s.largest_sequence end,
    last_at = greatest(s.last_at, excluded.last_at),
    last_sequence = case when excluded.last_at >= s.last_at then excluded.last_sequence else s.last_sequence end`,
};

const credited: Write = {
  into: "insert into report_donator_sums as s",
  rows: `grain, period, donator, source, count, amount, first_at, last_at, last_sequence
  from gathered order by grain, period, donator, source`,
  conflict: `on conflict (streamer_id, grain, period, donator, source) do update set
    count = s.count + excluded.count,
    amount = s.amount + excluded.amount,
    first_at = least(s.first_at, excluded.first_at),
    last_at = greatest(s.last_at, excluded.last_at),
    last_sequence = case when excluded.last_at >= s.last_at then excluded.last_sequence else s.last_sequence end`,
};

const counted: Write = {
  into: "insert into report_donator_counts as s",
  rows: `grain, period, c.sources, sum(c.change)
  from seen cross join lateral (values (before, -1), (after, 1)) c(sources, change)
  where before <> after and c.sources <> 0
  group by grain, period, c.sources
  having sum(c.change) <> 0
  order by grain, period, c.sources`,
  conflict: `on conflict (streamer_id, grain, period, sources) do update set donators = s.donators + excluded.donators`,
};

const classed: Write = {
  into: "insert into report_classes as s",
  rows: `grain, period, source, class, sum(count) from valued
  group by grain, period, source, class
  order by grain, period, source, class`,
  conflict: `on conflict (streamer_id, grain, period, source, class) do update set count = s.count + excluded.count`,
};

const tallied: Write = {
  into: "insert into report_amounts as s",
  rows: `grain, period, source, class, amount, count from valued
  order by grain, period, source, class, amount`,
  conflict: `on conflict (streamer_id, grain, period, source, class, amount) do update set count = s.count + excluded.count`,
};

const inStatement: Names = { after: "$2", upTo: "", limit: "$3", donators: "$4" };
const asPart = (name: string, { into, rows, conflict }: Write, returned = "") => `${name} as (
  ${into}
  select $1, ${rows}
  ${conflict}${returned}
)`;

/** $1 streamer, $2 its rolled_sequence, $3 maximum number of donations, $4 number of donators that have a number. */
export const foldStatement = `with ${[
  `next as materialized (${nextOf(inStatement)})`,
  batch,
  `reached as (${reachedOf(inStatement)})`,
  calendar,
  asPart("numbered", numberedFrom(inStatement), "returning donator, key"),
  `donator as materialized (select donator, key from numbered union all ${known})`,
  asPart("summed", summed),
  gathered,
  asPart("credited", credited),
  seen,
  asPart("counted", counted),
  valued,
  asPart("classed", classed),
  asPart("tallied", tallied),
].join(",\n")}
update report_progress p
set rolled_sequence = r.sequence, donators = p.donators + (select count(*) from numbered)
from reached r
where p.streamer_id = $1
returning r.donations, p.rolled_sequence`;

// What a node folds is chosen once, as a range of sequences: a statement sees donations that were recorded since the one before it.

const choosing: Names = { after: "progress.rolled_sequence", upTo: "", limit: "$2", donators: "progress.donators" };
const chosen: Names = { ...choosing, upTo: " and sequence <= chosen.sequence" };
const next = `next as materialized (${nextOf(chosen)})`;
/** The new ones are in the table. */
const donator = `donator as materialized (${known})`;

/** An insert with the parts that it reads. The streamer comes from a table, so that Citus sees that the rows stay on this node. */
const asStatement = ({ into, rows, conflict }: Write, ...reads: string[]) => `${into}
with ${[next, batch, ...reads].join(",\n")}
select streamer.id, made.* from streamers streamer cross join (select ${rows}) as made where streamer.id = $1
${conflict};`;

const lockProgress = "select rolled_sequence, donators into progress from report_progress where streamer_id = $1 for update skip locked;";

/** Each statement reads the roll-ups as they are before those that come after it here. */
const body = `
#variable_conflict use_column
declare
  progress record;
  chosen record;
  new_donators bigint;
begin
${lockProgress}
if not found then
  insert into report_progress (streamer_id) values ($1) on conflict do nothing;
  ${lockProgress}
  if not found then
    return;
  end if;
end if;
with next as (${nextOf(choosing)}) ${reachedOf(choosing)} into chosen;
if chosen.donations = 0 then
  update report_progress p set rolled_sequence = chosen.sequence where p.streamer_id = $1 and p.rolled_sequence < chosen.sequence;
  return query select 0::bigint;
  return;
end if;
${asStatement(numberedFrom(chosen))}
get diagnostics new_donators = row_count;
${asStatement(summed, calendar)}
${asStatement(counted, calendar, donator, gathered, seen)}
${asStatement(credited, calendar, donator, gathered)}
${asStatement(classed, calendar, valued)}
${asStatement(tallied, calendar, valued)}
update report_progress p set rolled_sequence = chosen.sequence, donators = p.donators + new_donators where p.streamer_id = $1;
return query select chosen.donations::bigint;
end`;

/**
 * Settings of PostgreSQL while it folds. A batch is joined by hashing and the roll-ups are scanned by index, whatever the statistics of a
 * streamer (lateral joins of the statement still run as loops). JIT is off, because compiling the statement would take longer than running it.
 */
export const foldSettings = { enable_nestloop: "off", enable_seqscan: "off", jit: "off", work_mem: "32MB" };

/** Its parameters are the streamer and the maximum number of donations. */
export const foldFunction = nodeFunction("fold", {
  parameters: ["uuid", "bigint"],
  returns: "donations bigint",
  settings: foldSettings,
  body,
});
