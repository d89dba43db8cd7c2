-- The log of events: donation.created is the donation itself, everything else is a row here. Both have their number from
-- streamers.last_sequence, under the lock of that row, so that their order is the order of commits and a reader passes nothing by.

create table events (
  streamer_id uuid not null,
  type text not null,
  sequence bigint not null,
  id uuid not null,
  occurred_at timestamptz not null,
  donation_id uuid, -- null: it concerns no single donation
  details jsonb not null, -- members of the event's data that are not the donation's
  primary key (streamer_id, type, sequence) -- a page reads each of its types from its cursor on
);
create index events_occurred_at on events (occurred_at); -- what is too old

-- A UUID of version 7 (RFC 9562 5.7) of the present millisecond.
create function uuid_v7() returns uuid language sql volatile
  return encode(overlay(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6)
    placing set_byte('\x00', 0, (112 | (get_byte(uuid_send(gen_random_uuid()), 0) & 15))) from 7 for 1), 'hex')::uuid;

-- Whoever moves an alert on: the overlay, the streamer's controls, or the task that gives up waiting. A replay is a later playback.
create function record_alert_events() returns trigger language plpgsql as $$
begin
  if not exists (
    select from after_update a join before_update b using (streamer_id, donation_id)
    where a.status <> b.status and a.status in ('playing', 'shown', 'skipped', 'expired', 'unconfirmed')
  ) then
    return null;
  end if;
  with moved as (
    select a.streamer_id, a.donation_id, a.sequence, a.status, a.reason,
      row_number() over (partition by a.streamer_id order by a.sequence) as place
    from after_update a join before_update b using (streamer_id, donation_id)
    where a.status <> b.status and a.status in ('playing', 'shown', 'skipped', 'expired', 'unconfirmed')
  ),
  locked as materialized (
    select id, last_sequence from streamers where id in (select streamer_id from moved) order by id for update
  ),
  counted as (
    update streamers s set last_sequence = s.last_sequence + m.count
    from (select streamer_id, count(*) as count from moved group by streamer_id) m
    where s.id = m.streamer_id and s.id in (select id from locked)
  )
  insert into events (streamer_id, type, sequence, id, occurred_at, donation_id, details)
  select m.streamer_id, case m.status when 'playing' then 'alert.started' else 'alert.' || m.status end,
    l.last_sequence + m.place, uuid_v7(), date_trunc('milliseconds', clock_timestamp()), m.donation_id,
    jsonb_build_object('status', m.status, 'reason', m.reason, 'isReplay', coalesce((
      select replay from playbacks p where p.streamer_id = m.streamer_id and p.donation_id = m.donation_id
      order by number desc limit 1), false))
  from moved m join locked l on l.id = m.streamer_id;
  return null;
end $$;

-- After alerts_raise_version (triggers fire by name): the overlay's row is locked before the streamer's, by everybody.
create trigger alerts_record_events after update on alerts
  referencing old table as before_update new table as after_update for each statement execute function record_alert_events();

-- Goals that are not reached yet, and up to where their donations were summed up last.
create table goal_watches (
  streamer_id uuid primary key references streamers,
  goal jsonb not null,
  checked_sequence bigint not null default -1
);

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
insert into goal_watches (streamer_id, goal)
select streamer_id, settings -> 'goal' from overlays where jsonb_typeof(settings -> 'goal') = 'object';

-- Let a program that can set no header open one WebSocket.
create table event_tickets (
  ticket_hash bytea primary key, -- SHA-256
  credential bytea not null, -- the Authorization header that it was made with, encrypted with the ticket
  expires_at timestamptz not null
);
