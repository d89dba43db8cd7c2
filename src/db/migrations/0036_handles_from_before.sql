-- The handles of streamers from before 0035, whose trigger notes all others. A transaction of its own: nobody waits while they are read.
-- compatible since 0020

insert into streamer_handles (handle, streamer_id) select handle, id from streamers on conflict do nothing;
