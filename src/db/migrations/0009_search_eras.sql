-- A text that stands in most blocks had them all listed, and the list grew with the history. Now an era of about a million
-- donations (by sequence) has hashes of its own, and a page asks for a few eras only, those with the newest donations first.
truncate donation_search_blocks; -- the hashes are others; the server makes them anew after its start, `search rebuild` at once
alter table donation_search_blocks add column era integer not null;

-- Eras that have blocks, and when their donations were created.
create table donation_search_eras (
  streamer_id uuid not null,
  era integer not null,
  oldest timestamptz not null,
  newest timestamptz not null,
  primary key (streamer_id, era)
) with (fillfactor = 50); -- each block touches its era

drop function donation_search_candidates(int4[]);

-- `wanted` holds the hashes of one era after the other, `each` of every one. By the index of the hashes and no other way: reading
-- them themselves would cost a thousand times as much, which the planner does not see.
create function donation_search_candidates(wanted int4[], each integer)
returns table (streamer_id uuid, first_sequence bigint, last_sequence bigint, oldest timestamptz, newest timestamptz)
language sql stable set enable_seqscan = off set enable_indexscan = off
as $$
  select b.* from generate_series(0, cardinality(wanted) / each - 1) as era(n)
  cross join lateral (
    select streamer_id, first_sequence, last_sequence, oldest, newest from donation_search_blocks
    where grams @> wanted[n * each + 1 : (n + 1) * each] offset 0
  ) b
$$;
