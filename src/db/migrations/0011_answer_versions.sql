-- Whatever changes an alert's state raises its overlay's version, in the same transaction and whoever does it: answers that show states of
-- alerts are kept for as long as this number stays (src/db/kept-answers.ts).
create function raise_overlay_versions() returns trigger language plpgsql as $$
begin
  insert into overlays (streamer_id, version) select distinct streamer_id, 1 from changed order by streamer_id
  on conflict (streamer_id) do update set version = overlays.version + 1;
  return null;
end $$;

create trigger alerts_raise_version after update on alerts
  referencing new table as changed for each statement execute function raise_overlay_versions();
