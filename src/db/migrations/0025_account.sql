-- The streamer's own account: when sessions were used, time zone and language.
-- compatible since 0020
-- short table: sessions
alter table sessions add column last_used_at timestamptz not null default now();

create index sessions_streamer on sessions (streamer_id); -- the list of a streamer's sessions, and ending them

create table streamer_preferences (
  streamer_id uuid primary key references streamers,
  time_zone text not null,
  language text not null
);
