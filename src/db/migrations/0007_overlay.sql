-- Alerts on stream: playbacks, the overlay that plays them, its keys, and how alerts behave.

-- Since when an alert waits; with it the time without a connected player is counted.
-- Null: recorded by a process of the version before; the donation knows it then.
alter table alerts add column received_at timestamptz;

-- One row for each streamer who uses the overlay, made on demand. Every move of a playback locks it first.
create table overlays (
  streamer_id uuid primary key references streamers,
  paused boolean not null default false,
  settings jsonb not null default '{}', -- members that differ from the defaults
  taken_sequence bigint not null default 0, -- alerts up to here have a playback, or were skipped or expired
  player_id text, -- the browser that plays, or played last
  connection_id uuid, -- its connection; one that finds another here plays no more
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

-- How much of the time since `since` a streamer had no connected player.
create function absent_time(streamer uuid, since timestamptz, until timestamptz) returns interval language sql stable
  return coalesce((select sum(back_at - greatest(gone_at, since)) from overlay_absences where streamer_id = streamer and back_at > since), '0')
    + coalesce((select greatest(until - greatest(player_until, since), '0') from overlays where streamer_id = streamer and player_until is not null), until - since);

create table playbacks (
  id uuid primary key,
  streamer_id uuid not null,
  donation_id uuid not null,
  number int not null, -- 1, 2, … of a donation
  replay boolean not null, -- asked for by hand
  sequence bigint not null, -- of the donation
  state text not null,
  reason text,
  speech_id text, -- null: the chime alone
  speech_mime text,
  speech_ms int,
  waits_since timestamptz not null,
  attempts int not null default 0, -- how often a connected player did not start it
  losses int not null default 0, -- how often its player went away
  player_id text, -- whom it was handed to last
  leased_at timestamptz, -- when
  allowed_ms int, -- how long it may play then
  started_at timestamptz, -- when its player acknowledged that; null again while it is handed out once more
  ended_at timestamptz,
  constraint playbacks_number unique (streamer_id, donation_id, number)
);
-- What plays and what waits; and over all streamers what a player left behind.
create index playbacks_open on playbacks (streamer_id, replay desc, sequence)
  where state in ('preparing', 'queued', 'leased', 'playing');
-- One at a time: what a player has in hand.
create unique index playbacks_in_hand on playbacks (streamer_id) where state in ('leased', 'playing');
-- Whether a piece of speech is a streamer's own.
create index playbacks_speech on playbacks (streamer_id, speech_id) where speech_id is not null;

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
