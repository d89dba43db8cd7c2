-- Sample of an index that no writer waits for.
-- compatible since 0001
-- without a transaction
create index concurrently donations_void_remark on donations (streamer_id, sequence) where void_remark is not null;
