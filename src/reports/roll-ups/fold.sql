-- Folds the next donations of a streamer into its roll-ups. Runs alone: the caller's transaction holds the progress row.
-- $1 streamer, $2 its rolled_sequence, $3 maximum number of donations, $4 number of donators that have a number.
-- Sequences are assigned under the streamer's lock and the counter is committed with its donations, so every donation up to
-- the last_sequence of this statement's snapshot is in the snapshot.
with next as materialized (
  select sequence, donator_key, amount, source, channel, created_at, voided_at from donations
  where streamer_id = $1 and sequence > $2 order by sequence limit $3
),
-- Void donations count nowhere. Those that are voided later are taken out of the roll-ups (removal.ts).
batch as materialized (
  select d.sequence, d.donator_key, d.amount, d.source, d.channel, d.created_at,
    row_number() over (order by d.created_at, d.sequence) as place, -- in time
    row_number() over (order by d.amount, d.sequence) as size,
    floor(to_millis(d.created_at)::float8 / 900000)::int as quarter
  from (select * from next where voided_at is null) d
),
reached as (
  select count(*) as donations,
    case when count(*) < $3 then (select last_sequence from streamers where id = $1) else max(sequence) end as sequence
  from next
),
-- Donations are first added up by quarters of an hour, of which a batch has few, and these by the longer periods.
calendar as materialized (
  select quarter, floor(quarter / 4.0)::int as hour, floor((quarter + 28) / 96.0)::int as day,
    extract(month from at)::int - 1 as month_of_year,
    extract(year from at)::int + (extract(year from at) < 0)::int as year -- 1 BC is the year 0
  from (select distinct quarter from batch) q
  cross join lateral (select from_millis(quarter * 900000::bigint) at time zone interval '07:00' offset 0) begin(at)
),
numbered as (
  insert into report_donators (streamer_id, donator, key)
  select $1, $4 + row_number() over (order by min(b.sequence)), b.donator_key
  from batch b
  left join lateral (select donator from report_donators where streamer_id = $1 and key = b.donator_key offset 0) known on true
  where known.donator is null
  group by b.donator_key
  returning donator, key
),
donator as materialized (
  select donator, key from numbered
  union all
  select r.donator, r.key
  from (select distinct donator_key from batch) b
  cross join lateral (select donator, key from report_donators where streamer_id = $1 and key = b.donator_key offset 0) r
),
summed as (
  insert into report_sums as s
  select $1, g.grain, g.period, g.source, g.channel, g.count, g.amount, g.smallest, largest.amount, largest.sequence,
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
  order by g.grain, g.period, g.source, g.channel
  on conflict (streamer_id, grain, period, source, channel) do update set
    count = s.count + excluded.count,
    amount = s.amount + excluded.amount,
    smallest = least(s.smallest, excluded.smallest),
    largest = greatest(s.largest, excluded.largest),
    largest_sequence = case when excluded.largest >= s.largest then excluded.largest_sequence else s.largest_sequence end,
    last_at = greatest(s.last_at, excluded.last_at),
    last_sequence = case when excluded.last_at >= s.last_at then excluded.last_sequence else s.last_sequence end
),
gathered as materialized (
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
),
credited as (
  insert into report_donator_sums as s
  select $1, grain, period, donator, source, count, amount, first_at, last_at, last_sequence
  from gathered order by grain, period, donator, source
  on conflict (streamer_id, grain, period, donator, source) do update set
    count = s.count + excluded.count,
    amount = s.amount + excluded.amount,
    first_at = least(s.first_at, excluded.first_at),
    last_at = greatest(s.last_at, excluded.last_at),
    last_sequence = case when excluded.last_at >= s.last_at then excluded.last_sequence else s.last_sequence end
),
-- Donators whose set of sources changes: the roll-up is read in its state before this statement.
seen as (
  select g.grain, g.period, coalesce(b.sources, 0::smallint) as before, (coalesce(b.sources, 0) | g.sources)::smallint as after
  from (select grain, period, donator, bit_or(source_bit(source)) as sources from gathered group by grain, period, donator) g
  cross join lateral (
    select bit_or(source_bit(source)) as sources from report_donator_sums
    where streamer_id = $1 and grain = g.grain and period = g.period and donator = g.donator
  ) b
),
counted as (
  insert into report_donator_counts as s
  select $1, grain, period, c.sources, sum(c.change)
  from seen cross join lateral (values (before, -1), (after, 1)) c(sources, change)
  where before <> after and c.sources <> 0
  group by grain, period, c.sources
  having sum(c.change) <> 0
  order by grain, period, c.sources
  on conflict (streamer_id, grain, period, sources) do update set donators = s.donators + excluded.donators
),
valued as materialized (
  select grain, period, source, amount_class(amount) as class, amount, sum(q.count)::bigint as count
  from (select quarter, source, amount, count(*) from batch group by quarter, source, amount) q
  join calendar using (quarter) cross join lateral (values (3::smallint, day), (5, year * 12 + month_of_year), (6, year), (7, 0)) g(grain, period)
  group by grain, period, source, amount
),
classed as (
  insert into report_classes as s
  select $1, grain, period, source, class, sum(count) from valued
  group by grain, period, source, class
  order by grain, period, source, class
  on conflict (streamer_id, grain, period, source, class) do update set count = s.count + excluded.count
),
tallied as (
  insert into report_amounts as s
  select $1, grain, period, source, class, amount, count from valued
  order by grain, period, source, class, amount
  on conflict (streamer_id, grain, period, source, class, amount) do update set count = s.count + excluded.count
)
update report_progress p
set rolled_sequence = r.sequence, donators = p.donators + (select count(*) from numbered)
from reached r
where p.streamer_id = $1
returning r.donations, p.rolled_sequence
