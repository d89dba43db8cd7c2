-- ALERTS on stream: what waits, what plays, what it looks and sounds like.

-- What is shown of a donation: its state alone. A donation without a row asked for no alert.
create table alerts (
  streamer_id uuid not null,
  donation_id uuid not null,
  sequence bigint not null, -- of the donation
  received_at timestamptz not null, -- since when it waits; with it the time without a connected player is counted
  status text not null default 'queued',
  reason text,
  shown_at timestamptz,
  masked boolean not null default false, -- as its last playback, so that lists of donations can say it without reading playbacks
  primary key (streamer_id, donation_id)
);
create index alerts_waiting on alerts (streamer_id, sequence) where status = 'queued'; -- the next alert to play

-- One row for each streamer who uses the overlay, made on demand. Every move of a playback locks it first.
create table overlays (
  streamer_id uuid primary key references streamers,
  version bigint not null default 0, -- rises with whatever a player, a widget or the studio must see
  settings jsonb not null default '{}', -- members that differ from the defaults
  paused boolean not null default false,
  hidden boolean not null default false, -- no alert starts, and pages show nothing
  asking boolean not null default false, -- paused until the streamer shows or clears alerts that came while no player was connected
  taken_sequence bigint not null default 0, -- alerts up to here have a playback, or were skipped or expired
  examined_sequence bigint not null default 0, -- alerts up to here are held if they have to be, also while no player is connected
  cleared_at timestamptz, -- when the last alert left the screen: the pause before the next one begins then
  player_id text, -- the browser that plays, or played last
  connection_id uuid, -- its connection; one that finds another here plays no more
  player_until timestamptz, -- end of its lease; renewed while it is connected
  -- Rises with every change of the widget of one of the streamer's keys: processes read the widgets again then, and not at every step of the queue.
  widget_changes bigint not null default 0
) with (fillfactor = 50); -- room for in-page updates: leases are renewed every few seconds
-- The few streamers who hold alerts. Settings are stored where they differ from the defaults.
create index overlays_holding on overlays (streamer_id)
  where settings -> 'approval' is not null or settings ->> 'blockedWordAction' = 'hold';

-- Time without a connected player; the last such time is still open: it began at overlays.player_until.
create table overlay_absences (
  streamer_id uuid not null references overlays,
  gone_at timestamptz not null,
  back_at timestamptz not null,
  primary key (streamer_id, gone_at)
);

-- Alerts with the status held, which the API calls queued: whoever decides deletes the row, under the lock of the overlay, so there is one
-- decision.
create table held_alerts (
  streamer_id uuid not null references overlays,
  donation_id uuid not null,
  sequence bigint not null, -- of the donation
  held_at timestamptz not null,
  decide_at timestamptz not null, -- when the streamer's setting decides
  primary key (streamer_id, donation_id)
);
create index held_alerts_due on held_alerts (decide_at); -- over all streamers: what has timed out

-- One showing of an alert on stream. A replay is another one of the same donation.
create table playbacks (
  id uuid primary key,
  streamer_id uuid not null,
  donation_id uuid not null,
  number int not null, -- 1, 2, … of a donation
  sequence bigint not null, -- of the donation
  replay boolean not null, -- asked for by hand
  priority integer not null default 0, -- the waiting playback with the highest one is next; 0: in its turn
  approved boolean not null default false, -- by hand or by a time-out: filters do not hold or skip it again
  masked boolean not null default false, -- name and message are hidden on stream
  variation jsonb, -- of the alert, as it was when the playback was queued; null: the default look
  speech_id text, -- null: the chime alone
  speech_mime text,
  speech_ms int,
  state text not null,
  reason text,
  waits_since timestamptz not null,
  attempts int not null default 0, -- how often a connected player did not start it
  losses int not null default 0, -- how often its player went away
  player_id text, -- whom it was handed to last
  leased_at timestamptz, -- when
  allowed_ms int, -- how long it may play then
  faster boolean not null default false, -- handed out to be shown for a shorter time, while many wait
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

-- Images and sounds that streamers have uploaded for their alerts.
create table alert_files (
  id text primary key, -- random and long: whoever knows it may read the file
  streamer_id uuid not null references streamers,
  kind text not null, -- image or sound
  mime text not null, -- judged by the content
  name text not null, -- that of the uploaded file, for the streamer alone
  bytes bytea not null,
  width int, -- of an image, in pixels
  height int,
  created_at timestamptz not null default now()
);
alter table alert_files alter column bytes set storage external; -- compressing images and sounds again makes them no smaller
create index alert_files_owner on alert_files (streamer_id, created_at, id); -- a streamer's files, and how much room they take

-- Spoken alerts, by content. A cache: a row that is missing is made again.
create table speech_audio (
  hash text primary key, -- SHA-256 over engine, voice, language and text
  streamer_id uuid not null, -- whose alert had it made: what a streamer has kept is bounded
  mime text not null,
  bytes bytea not null,
  duration_ms integer, -- null: a format whose length is not read
  made_at timestamptz not null default now(),
  used_at timestamptz not null default now() -- to the day
);
alter table speech_audio alter column bytes set storage external; -- compressing audio again makes it no smaller
create index speech_audio_streamer on speech_audio (streamer_id, used_at); -- a streamer's, least recently used first
create index speech_audio_used_at on speech_audio (used_at); -- pruning

-- Goals that are not reached yet, and up to where their donations were summed up last.
create table goal_watches (
  streamer_id uuid primary key references streamers,
  goal jsonb not null,
  checked_sequence bigint not null default -1
);

-- How much of the time since `since` a streamer had no connected player.
create function absent_time(streamer uuid, since timestamptz, until timestamptz) returns interval language sql stable
  return coalesce((select sum(back_at - greatest(gone_at, since)) from overlay_absences where streamer_id = streamer and back_at > since), '0')
    + coalesce((select greatest(until - greatest(player_until, since), '0') from overlays where streamer_id = streamer and player_until is not null), until - since);

-- The triggers of alerts have statements about one streamer each, in the order of their ids, so that a distributed database runs them on the
-- streamer's node. Triggers of one table fire in the order of their names.

-- Whatever changes an alert's state raises its overlay's version, in the same transaction and whoever does it: answers that show states of
-- alerts are kept for as long as this number stays. A version that was lost with a backup's restore, or with a standby that took over without
-- the last commits, must not come again for other states: while versions rise slower than microseconds pass, each is the time at which it
-- was given.
create function raise_overlay_versions() returns trigger language plpgsql as $$
declare
  streamer uuid;
  next_version bigint := extract(epoch from clock_timestamp()) * 1000000;
begin
  for streamer in select distinct streamer_id from changed order by streamer_id loop
    insert into overlays (streamer_id, version) values (streamer, next_version)
    on conflict (streamer_id) do update set version = greatest(overlays.version + 1, excluded.version);
  end loop;
  return null;
end $$;
create trigger alerts_raise_version after update on alerts
  referencing new table as changed for each statement execute function raise_overlay_versions();

-- Records the event of each alert that moves on, whoever moves it: the overlay, the streamer's controls, or the task that gives up waiting.
-- It fires after alerts_raise_version, so that everybody locks the overlay's row before the streamer's.
create function record_alert_events() returns trigger language plpgsql as $$
declare
  moved record;
  moved_donations uuid[];
  replayed uuid[];
  sequence_before bigint;
  moved_at timestamptz;
begin
  for moved in
    select a.streamer_id, array_agg(a.donation_id order by a.sequence) as donations, array_agg(a.status order by a.sequence) as statuses,
      array_agg(a.reason order by a.sequence) as reasons, array_agg(uuid_v7() order by a.sequence) as ids
    from after_update a join before_update b using (streamer_id, donation_id)
    where a.status <> b.status
      and (a.status in ('playing', 'shown', 'skipped', 'expired', 'unconfirmed', 'held') or b.status = 'held')
    group by a.streamer_id order by a.streamer_id
  loop
    moved_donations := moved.donations;
    update streamers s set last_sequence = s.last_sequence + cardinality(moved_donations) where s.id = moved.streamer_id
    returning s.last_sequence - cardinality(moved_donations) into sequence_before;
    continue when not found;
    moved_at := date_trunc('milliseconds', clock_timestamp());
    -- Those whose last playback is a replay.
    select array_agg(last.donation_id) into replayed
    from (
      select distinct on (p.donation_id) p.donation_id, p.replay from playbacks p
      where p.streamer_id = moved.streamer_id and p.donation_id = any(moved_donations) order by p.donation_id, p.number desc
    ) as last
    where last.replay;
    insert into events (streamer_id, type, sequence, id, occurred_at, donation_id, details)
    select s.id,
      case
        when m.status = 'playing' then 'alert.started'
        when m.status in ('preparing', 'queued') then 'alert.approved'
        when m.reason = 'denied' then 'alert.denied'
        else 'alert.' || m.status
      end,
      sequence_before + m.place, m.id, moved_at, m.donation_id,
      jsonb_build_object('status', case when m.status = 'held' then 'queued' else m.status end, 'reason', m.reason,
        'isReplay', coalesce(m.donation_id = any(replayed), false))
    from streamers s
    cross join unnest(moved_donations, moved.statuses, moved.reasons, moved.ids) with ordinality as m(donation_id, status, reason, id, place)
    where s.id = moved.streamer_id;
  end loop;
  return null;
end $$;
create trigger alerts_record_events after update on alerts
  referencing old table as before_update new table as after_update for each statement execute function record_alert_events();

-- Notes when a playback leaves the screen, whoever ends it: its player, the streamer's controls, a void donation, or a time-out. All of them
-- hold the lock of the overlay.
create function note_cleared_screen() returns trigger language plpgsql as $$
begin
  update overlays set cleared_at = new.ended_at where streamer_id = new.streamer_id;
  return null;
end $$;
create trigger playbacks_note_cleared_screen after update of state on playbacks for each row
  when (old.state in ('leased', 'playing') and new.state in ('shown', 'skipped', 'unconfirmed'))
  execute function note_cleared_screen();

-- Watches a new or changed goal.
create function watch_goal() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if old.settings -> 'goal' is not distinct from new.settings -> 'goal' then
      return null;
    end if;
    delete from goal_watches where streamer_id = new.streamer_id;
  end if;
  if jsonb_typeof(new.settings -> 'goal') = 'object' then
    insert into goal_watches (streamer_id, goal) values (new.streamer_id, new.settings -> 'goal');
  end if;
  return null;
end $$;
create trigger overlays_watch_goal after insert or update of settings on overlays
  for each row execute function watch_goal();
