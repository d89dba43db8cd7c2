-- Spoken alerts, by content. A cache: a row that is missing is made again.
create table speech_audio (
  hash text primary key, -- SHA-256 over engine, voice, language and text
  mime text not null,
  bytes bytea not null,
  duration_ms integer, -- null: a format whose length is not read
  made_at timestamptz not null default now(),
  used_at timestamptz not null default now() -- to the day
);
-- Audio does not become smaller by compressing it again.
alter table speech_audio alter column bytes set storage external;
create index speech_audio_used_at on speech_audio (used_at); -- pruning
