-- A streamer has several named overlay keys, so that another link leaves those in OBS alone.
-- compatible since 0020

-- short table: overlay_keys

-- A version that knows no names creates keys during a rolling upgrade, too.
alter table overlay_keys add column name text not null default 'OBS', add column last_used_at timestamptz;
drop index overlay_keys_live;
create index overlay_keys_of_streamer on overlay_keys (streamer_id, created_at, id); -- a streamer's keys, oldest first, and how many are new
