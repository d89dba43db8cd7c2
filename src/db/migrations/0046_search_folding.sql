-- Search compares texts in another way: blocks that were made before, or by a server of the version before, are made again in the background.
-- compatible since 0020
-- without a transaction
alter table donation_search_blocks add column if not exists folding smallint not null default 1;
drop index concurrently if exists donation_search_blocks_stale; -- an interrupted start leaves it invalid
create index concurrently donation_search_blocks_stale on donation_search_blocks (streamer_id, first_sequence) where folding < 2; -- staleBlocks, readIndexedUpTo
