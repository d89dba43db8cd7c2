-- SEARCH finds rare texts by blocks: 256 donations of a streamer that follow each other in sequence, with the hashes of every one, two and
-- three letters that stand side by side in their folded names, messages and identifiers. A text can only be where all of its letters are;
-- the application reads those blocks and decides. Blocks are made after the fact; younger donations are read as they are, so an answer
-- never lags.
create table donation_search_blocks (
  streamer_id uuid not null,
  first_sequence bigint not null,
  last_sequence bigint not null,
  oldest timestamptz not null, -- created_at, as are the next
  newest timestamptz not null,
  era integer not null, -- about a million donations, by sequence
  -- Streamer and era are part of each hash: what others write, and a long history, make no list of the index longer.
  grams int4[] not null,
  primary key (streamer_id, last_sequence)
);
-- Neither compressed nor analysed: hashes are random, and nothing reads them but the index.
alter table donation_search_blocks alter column grams set storage external, alter column grams set statistics 0;
-- Blocks that may hold a text. Every search reads the list of what is not sorted in yet, so it is kept short (in kB).
create index donation_search_blocks_grams on donation_search_blocks using gin (grams) with (gin_pending_list_limit = 256);

-- Eras that have blocks, and when their donations were created. A page asks for a few eras only, those with the newest donations first.
create table donation_search_eras (
  streamer_id uuid not null,
  era integer not null,
  oldest timestamptz not null,
  newest timestamptz not null,
  primary key (streamer_id, era)
) with (fillfactor = 50); -- each block touches its era

-- Blocks that may hold a text. `wanted` holds the hashes of one era after the other, `each` of every one. By the index of the hashes and no
-- other way: reading the hashes themselves would cost a thousand times as much, which the planner does not see.
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

-- The same as a function that runs on the node of a streamer, and decides there what it answers. Times in milliseconds.
create function find_search_blocks(streamer uuid, wanted int4[], each integer, up_to bigint, since bigint, until bigint, most integer)
returns table (first bigint, last bigint, newest bigint)
language plpgsql stable set enable_seqscan = off set enable_indexscan = off
as $$
begin
  return query
  select b.first_sequence, b.last_sequence, to_millis(b.newest)
  from generate_series(0, cardinality(wanted) / each - 1) as era(n)
  cross join lateral (
    select s.first_sequence, s.last_sequence, s.oldest, s.newest from donation_search_blocks s
    where s.streamer_id = streamer and s.grams @> wanted[n * each + 1 : (n + 1) * each] offset 0
  ) b
  where b.last_sequence <= up_to and b.oldest <= from_millis(until) and (since is null or b.newest >= from_millis(since))
  order by b.newest desc limit most;
end $$;
