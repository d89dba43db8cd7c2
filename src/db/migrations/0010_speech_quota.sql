-- Whose alert had the speech made: what a streamer has kept is bounded. Null: made by the version before; it goes when nobody uses it.
alter table speech_audio add column streamer_id uuid;
create index speech_audio_streamer on speech_audio (streamer_id, used_at); -- a streamer's, least recently used first
