-- Which browser a session is of, for the list of a streamer's sessions: such as Chrome, Windows.
-- compatible since 0020
-- short table: sessions
alter table sessions add column browser text; -- null: unknown
