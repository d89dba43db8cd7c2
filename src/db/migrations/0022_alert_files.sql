-- Images and sounds that streamers have uploaded for their alerts.
-- compatible since 0020
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
-- Images and sounds do not become smaller by compressing them again.
alter table alert_files alter column bytes set storage external;
create index alert_files_owner on alert_files (streamer_id, created_at, id); -- a streamer's files, and how much room they take
