-- Every overlay shows every alert: which pages are connected, which one leads, and when the pages of an overlay key are heard.
-- compatible since 0001

alter table overlays
  add column player_rank smallint not null default 0, -- a page with a lower rank takes the lead between two alerts
  add column chosen_player_id text; -- the player that the streamer made lead: it ranks before all others

alter table overlay_keys add column sound text not null default 'leader'; -- while they lead, always or never

-- The connected pages that can play, each by its connection. Those of a killed process are renewed no more.
create table overlay_pages (
  streamer_id uuid not null,
  connection_id uuid not null,
  player_id text not null,
  in_obs boolean not null,
  active boolean not null, -- not hidden
  opened_at timestamptz not null default now(),
  valid_until timestamptz not null,
  primary key (streamer_id, connection_id)
);
