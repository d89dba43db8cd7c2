-- The list of a streamer's erasures in the studio.
-- compatible since 0020
-- without a transaction
drop index concurrently if exists erasures_streamer; -- an interrupted start leaves it invalid
create index concurrently erasures_streamer on erasures (streamer_id, began_at); -- newest first: read backwards
