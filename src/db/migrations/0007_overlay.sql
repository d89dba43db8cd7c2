-- Alerts on stream: playbacks, the overlay that plays them, its keys, and how alerts behave.

-- Since when an alert waits; with it the time without a connected player is counted.
alter table alerts add column received_at timestamptz;
update alerts a set received_at = d.received_at from donations d where d.streamer_id = a.streamer_id and d.id = a.donation_id;
alter table alerts alter column received_at set not null;

-- One row for each streamer who uses the overlay, made on demand. Every move of a playback locks it first.
create table overlays (
  streamer_id uuid primary key references streamers,
  paused boolean not null default false,
  settings jsonb not null default '{}', -- members that differ from the defaults
  taken_sequence bigint not null default 0, -- alerts up to here have a playback, or were skipped or expired
  player_id text, -- the browser that plays, or played last
  player_until timestamptz, -- end of its lease; renewed while it is connected
  version bigint not null default 0 -- rises with whatever a player, a widget or the studio must see
) with (fillfactor = 50); -- room for in-page updates: leases are renewed every few seconds

-- Time without a connected player; the last such time is still open: it began at overlays.player_until.
create table overlay_absences (
  streamer_id uuid not null references overlays,
  gone_at timestamptz not null,
  back_at timestamptz not null,
  primary key (streamer_id, gone_at)
);

create table playbacks (
  id uuid primary key,
  streamer_id uuid not null,
  donation_id uuid not null,
  number int not null, -- 1, 2, …; from 2 on, or of a donation that asked for no alert, a replay by hand
  replay boolean not null,
  sequence bigint not null, -- of the donation
  state text not null,
  reason text,
  speech_id text, -- null: the chime alone
  speech_mime text,
  speech_ms int,
  created_at timestamptz not null default now(),
  attempts int not null default 0, -- how often it was handed to a player that never started
  player_id text,
  leased_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  unique (streamer_id, donation_id, number)
);
create index playbacks_open on playbacks (streamer_id, replay desc, sequence, number)
  where state in ('preparing', 'queued', 'leased', 'playing');

-- One live key for each streamer: a new one replaces it.
create table overlay_keys (
  id uuid primary key,
  streamer_id uuid not null references streamers,
  public_id text not null constraint overlay_keys_public_id unique,
  secret_hash bytea not null,
  created_at timestamptz not null default now(),
  revoked_at timestamptz
);
create unique index overlay_keys_live on overlay_keys (streamer_id) where revoked_at is null;
