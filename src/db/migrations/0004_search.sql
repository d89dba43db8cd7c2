-- Search finds rare texts by blocks: 256 donations of a streamer that follow each other in sequence, with the hashes of every one,
-- two and three letters that stand side by side in their folded names, messages and identifiers. A text can only be where all of
-- its letters are; the application reads those blocks and decides. Blocks are made after the fact; younger donations are read as
-- they are, so an answer never lags.
create table donation_search_blocks (
  streamer_id uuid not null,
  first_sequence bigint not null,
  last_sequence bigint not null,
  oldest timestamptz not null, -- created_at, as are the next
  newest timestamptz not null,
  grams int4[] not null, -- the streamer is part of each hash: what others write makes no list of ours longer
  primary key (streamer_id, last_sequence)
);
-- Neither compressed nor analysed: hashes are random, and nothing reads them but the index.
alter table donation_search_blocks alter column grams set storage external, alter column grams set statistics 0;
-- Blocks that may hold a text. Every search reads the list of what is not sorted in yet, so it is kept short (in kB).
create index donation_search_blocks_grams on donation_search_blocks using gin (grams) with (gin_pending_list_limit = 256);

-- By that index and no other way: reading the hashes themselves would cost a thousand times as much, which the planner does not see.
create function donation_search_candidates(wanted int4[])
returns table (streamer_id uuid, first_sequence bigint, last_sequence bigint, oldest timestamptz, newest timestamptz)
language sql stable set enable_seqscan = off set enable_indexscan = off
as $$
  select streamer_id, first_sequence, last_sequence, oldest, newest from donation_search_blocks where grams @> wanted
$$;
