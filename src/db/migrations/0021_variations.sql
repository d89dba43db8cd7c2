-- The variation of the alert that was chosen when the playback was queued, as it was then; null: the default look.
-- compatible since 0020
alter table playbacks add column variation jsonb;
