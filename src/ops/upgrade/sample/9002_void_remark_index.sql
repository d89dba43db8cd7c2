-- Sample of an index that no writer waits for.
-- compatible since 0001
-- without a transaction
drop index concurrently if exists donations_void_remark; -- an interrupted start leaves it invalid
create index concurrently donations_void_remark on donations (streamer_id, sequence) where void_remark is not null;
