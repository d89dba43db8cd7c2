-- The timer that donations prolong: its state up to a place of the streamer's log, what each donation has added, adjustments by hand.
-- compatible since 0001

create table timers (
  streamer_id uuid primary key references streamers,
  status text not null check (status in ('off', 'running', 'paused', 'ended')),
  counted_at timestamptz not null, -- up to here it has counted down
  left_ms bigint not null, -- what was left then
  total_ms bigint not null, -- passed and left together
  started_at timestamptz,
  ended_at timestamptz,
  ends_at timestamptz, -- when it runs out; null: it does not run
  rules jsonb not null, -- members that differ from the defaults
  counted_sequence bigint not null -- every donation and void up to here has counted, none after it
) with (fillfactor = 70); -- room for in-page updates: it moves with the donations of each second
create index timers_open on timers (streamer_id) where status in ('running', 'paused'); -- over all streamers: what has to be counted, or ran out

-- What the donations have added to the timer since it was started: a void takes that back.
create table timer_donations (
  streamer_id uuid not null,
  donation_id uuid not null,
  added_ms bigint not null,
  primary key (streamer_id, donation_id)
);

-- Adjustments by hand with an idempotency key, which are made once.
create table timer_adjustments (
  streamer_id uuid not null,
  application_id uuid not null,
  idempotency_key text not null,
  seconds integer not null,
  primary key (streamer_id, application_id, idempotency_key)
);
