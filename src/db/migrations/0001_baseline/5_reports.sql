-- REPORTS have roll-ups: what reports read instead of the history. A background worker folds each streamer's donations into them, in the order of the
-- sequence; a report adds the donations after `rolled_sequence` itself, so that it is exact at any moment.
--
-- Every roll-up is kept per grain, and numbers the periods of each grain:
--   1 quarter of an hour, 2 hour    since 1970-01-01T00:00Z
--   3 day, 4 week (from Monday)     since 1970-01-01T00:00+07:00, and its week
--   5 month (year * 12 + month - 1), 6 year, both at +07:00
--   7 all time (period 0)
-- Days, weeks, months and years begin at +07:00 because the default time zone does; others are put together from smaller grains.

create table report_progress (
  streamer_id uuid primary key,
  rolled_sequence bigint not null default 0, -- every donation up to here is in the roll-ups, none after it
  donators integer not null default 0 -- how many have a number
) with (fillfactor = 50);

-- A number for every donator, the short key of the roll-ups. Looked up by key only: with a second index the planner would sometimes walk all
-- donators of a streamer whom its statistics do not know.
create table report_donators (
  streamer_id uuid not null,
  key text not null,
  donator integer not null, -- from 1, in the order of their first donations
  primary key (streamer_id, key)
);

create table report_sums (
  streamer_id uuid not null,
  grain smallint not null,
  period integer not null,
  source text not null,
  channel text not null,
  count bigint not null,
  amount numeric not null,
  smallest numeric not null,
  largest numeric not null,
  largest_sequence bigint not null, -- of several, the one recorded last
  last_at timestamptz not null,
  last_sequence bigint not null, -- of several at `last_at`, the one recorded last
  primary key (streamer_id, grain, period, source, channel)
) with (fillfactor = 80);

-- From the hour on.
create table report_donator_sums (
  streamer_id uuid not null,
  grain smallint not null,
  period integer not null,
  donator integer not null,
  source text not null,
  count bigint not null,
  amount numeric not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  last_sequence bigint not null,
  primary key (streamer_id, grain, period, donator, source)
) with (fillfactor = 80);

-- How many donators a period has, by the exact set of sources that they came from (1 external + 2 native + 4 test).
create table report_donator_counts (
  streamer_id uuid not null,
  grain smallint not null,
  period integer not null,
  sources smallint not null,
  donators integer not null,
  primary key (streamer_id, grain, period, sources)
) with (fillfactor = 80);

-- For the median, from the day on: how many donations of which size class (amount_class).
create table report_classes (
  streamer_id uuid not null,
  grain smallint not null,
  period integer not null,
  source text not null,
  class smallint not null,
  count bigint not null,
  primary key (streamer_id, grain, period, source, class)
) with (fillfactor = 80);

-- And within a class, of which amount.
create table report_amounts (
  streamer_id uuid not null,
  grain smallint not null,
  period integer not null,
  source text not null,
  class smallint not null,
  amount numeric not null,
  count bigint not null,
  primary key (streamer_id, grain, period, source, class, amount)
) with (fillfactor = 80);

-- Size class of an amount: its power of ten and its first two digits, rising with the amount. Below 0.01 all are one.
create function amount_class(amount numeric) returns smallint language sql immutable parallel safe return
  case
    when amount < 0.01 then 0
    when amount < 0.1 then trunc(amount * 1000)
    when amount < 1 then 90 + trunc(amount * 100)
    when amount < 10 then 180 + trunc(amount * 10)
    when amount < 100 then 270 + trunc(amount)
    when amount < 1000 then 360 + trunc(amount * 0.1)
    when amount < 10000 then 450 + trunc(amount * 0.01)
    when amount < 100000 then 540 + trunc(amount * 0.001)
    else 630 + trunc(amount * 0.0001)
  end::smallint;

-- Of report_donator_counts.sources. With conditions: Citus 13.2 sends "case source when 'external'" to a node as "when null" where it has
-- inlined a function.
create function source_bit(source text) returns smallint language sql immutable parallel safe return
  case when source = 'external' then 1 when source = 'native' then 2 else 4 end::smallint;
