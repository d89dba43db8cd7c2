-- A version that was lost with a backup's restore, or with a standby that took over without the last commits, must not come again for other
-- states of alerts: while versions rise slower than microseconds pass, each is the time at which it was given.
create or replace function raise_overlay_versions() returns trigger language plpgsql as $$
declare
  next_version bigint := extract(epoch from clock_timestamp()) * 1000000;
begin
  insert into overlays (streamer_id, version) select distinct streamer_id, next_version from changed order by streamer_id
  on conflict (streamer_id) do update set version = greatest(overlays.version + 1, excluded.version);
  return null;
end $$;
