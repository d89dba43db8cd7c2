-- Streamers whose list of first steps in the studio is over: all are taken, or they have hidden it.
-- compatible since 0001

create table first_steps (
  streamer_id uuid primary key references streamers,
  over_at timestamptz not null default now()
);
