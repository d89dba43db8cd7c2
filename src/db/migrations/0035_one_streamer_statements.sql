-- What a distributed database needs (DISTRIBUTE=citus): streamers can be found by handle without asking every node, and the triggers of alerts
-- use statements about one streamer.
-- compatible since 0020

-- Handles, unique over all streamers. streamers.handle stays for versions that read it.
create table streamer_handles (
  handle text primary key,
  streamer_id uuid not null constraint streamer_handles_streamer unique -- names of streamers
);

-- A version that does not know the table creates streamers during a rolling upgrade, too. The next migration adds those from before.
create function note_streamer_handle() returns trigger language plpgsql as $$
begin
  insert into streamer_handles (handle, streamer_id) values (new.handle, new.id)
  on conflict (streamer_id) do update set handle = excluded.handle;
  return null;
end $$;
create trigger streamers_note_handle after insert or update of handle on streamers for each row execute function note_streamer_handle();

-- As in 0013_unrepeated_versions.sql, one statement for each streamer.
create or replace function raise_overlay_versions() returns trigger language plpgsql as $$
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

-- As in 0024_approval.sql, with statements that are about one streamer each, whose locks are taken in the same order.
create or replace function record_alert_events() returns trigger language plpgsql as $$
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

-- The secret comes with the call: a function that reads a table can't be part of a statement on another node.
create function hash_of_key(secret bytea, application uuid, key text) returns bytea language sql immutable parallel safe
  return sha256(secret || sha256(secret || uuid_send(application) || convert_to(key, 'UTF8')));

-- As before, with conditions: Citus 13.2 sends "case source when 'external'" to a node as "when null" where it has inlined a function.
create or replace function source_bit(source text) returns smallint language sql immutable parallel safe return
  case when source = 'external' then 1 when source = 'native' then 2 else 4 end::smallint;

-- The search of donation_search_candidates (0009_search_eras.sql) as a function that runs on the node of a streamer. Times in milliseconds.
create function find_search_blocks(streamer uuid, wanted int4[], each integer, up_to bigint, since bigint, until bigint, most integer)
returns table (first bigint, last bigint, newest bigint)
language plpgsql stable set enable_seqscan = off set enable_indexscan = off
as $$
begin
  return query
  select b.first_sequence, b.last_sequence, to_millis(b.newest)
  from generate_series(0, cardinality(wanted) / each - 1) as era(n)
  cross join lateral (
    select s.first_sequence, s.last_sequence, s.oldest, s.newest from donation_search_blocks s
    where s.streamer_id = streamer and s.grams @> wanted[n * each + 1 : (n + 1) * each] offset 0
  ) b
  where b.last_sequence <= up_to and b.oldest <= from_millis(until) and (since is null or b.newest >= from_millis(since))
  order by b.newest desc limit most;
end $$;
