-- Asks the streamer before alerts start that came while no player was connected.
-- compatible since 0020
-- short table: overlays

-- The queue is paused until the streamer shows or clears such alerts.
alter table overlays add column asking boolean not null default false;
