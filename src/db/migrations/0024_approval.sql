-- Approval: alerts that are held until somebody, or a time-out, decides.
-- compatible since 0020
-- short table: overlays

-- Alerts with the status held, which the API calls queued: the released contract has no other word. Whoever decides deletes the row, under the lock of the overlay: there is one decision.
create table held_alerts (
  streamer_id uuid not null references overlays,
  donation_id uuid not null,
  sequence bigint not null, -- of the donation
  held_at timestamptz not null,
  decide_at timestamptz not null, -- when the streamer's setting decides
  primary key (streamer_id, donation_id)
);
create index held_alerts_due on held_alerts (decide_at); -- over all streamers: what has timed out

-- Alerts up to here are held if they have to be, also while no player is connected.
alter table overlays add column examined_sequence bigint not null default 0;
-- The few streamers who hold alerts. Settings are stored where they differ from the defaults.
create index overlays_holding on overlays (streamer_id)
  where settings -> 'approval' is not null or settings ->> 'blockedWordAction' = 'hold';

-- Approved, by hand or by a time-out: filters do not hold or skip it again.
alter table playbacks add column approved boolean not null default false;
-- Name and message are hidden on stream.
alter table playbacks add column masked boolean not null default false;

-- As in 0014_events.sql, with what is held, approved and denied.
create or replace function record_alert_events() returns trigger language plpgsql as $$
begin
  if not exists (
    select from after_update a join before_update b using (streamer_id, donation_id)
    where a.status <> b.status
      and (a.status in ('playing', 'shown', 'skipped', 'expired', 'unconfirmed', 'held') or b.status = 'held')
  ) then
    return null;
  end if;
  with moved as (
    select a.streamer_id, a.donation_id, a.sequence, a.status, a.reason,
      row_number() over (partition by a.streamer_id order by a.sequence) as place
    from after_update a join before_update b using (streamer_id, donation_id)
    where a.status <> b.status
      and (a.status in ('playing', 'shown', 'skipped', 'expired', 'unconfirmed', 'held') or b.status = 'held')
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
  select m.streamer_id,
    case
      when m.status = 'playing' then 'alert.started'
      when m.status in ('preparing', 'queued') then 'alert.approved'
      when m.reason = 'denied' then 'alert.denied'
      else 'alert.' || m.status
    end,
    l.last_sequence + m.place, uuid_v7(), date_trunc('milliseconds', clock_timestamp()), m.donation_id,
    jsonb_build_object('status', case m.status when 'held' then 'queued' else m.status end, 'reason', m.reason, 'isReplay', coalesce((
      select replay from playbacks p where p.streamer_id = m.streamer_id and p.donation_id = m.donation_id
      order by number desc limit 1), false))
  from moved m join locked l on l.id = m.streamer_id;
  return null;
end $$;
