-- Alerts that the streamer has put before all others that wait.
-- compatible since 0020

-- The waiting playback with the highest priority is next; 0: in its turn.
alter table playbacks add column priority integer not null default 0;
