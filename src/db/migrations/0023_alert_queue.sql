-- The queue's settings: the pause between two alerts, and shorter times on screen while many wait.
-- compatible since 0020
-- When the last alert left the screen: the pause before the next one begins then.
alter table overlays add column cleared_at timestamptz;
-- Whether it was handed out to be shown for a shorter time.
alter table playbacks add column faster boolean not null default false;

-- Whoever ends a playback: its player, the streamer's controls, a void donation, or a time-out. All of them hold the lock of the overlay.
create function note_cleared_screen() returns trigger language plpgsql as $$
begin
  update overlays set cleared_at = new.ended_at where streamer_id = new.streamer_id;
  return null;
end $$;
create trigger playbacks_note_cleared_screen after update of state on playbacks for each row
  when (old.state in ('leased', 'playing') and new.state in ('shown', 'skipped', 'unconfirmed'))
  execute function note_cleared_screen();

-- Whether everything is hidden: no alert starts, and pages show nothing.
alter table overlays add column hidden boolean not null default false;
