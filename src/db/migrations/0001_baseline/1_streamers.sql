-- The whole schema of 1.0.0 by subject, a file each; functions and triggers come last. What changes after 1.0.0 is a migration of its own.
--
-- A key begins with the streamer: a query about one streamer reads one place of each index, and Citus keeps these rows on one node. Tables
-- that are written with each donation have no foreign keys: the recording statement joins the locked streamer itself, and donations are
-- never deleted.

-- STREAMERS, and who acts for them: browsers, applications, keys.

-- A streamer, and the counters of everything recorded for them. Whoever records locks this row first.
create table streamers (
  id uuid primary key,
  created_at timestamptz not null default now(),
  -- Both rise under this row's lock, so their order is the order of commits.
  last_sequence bigint not null default 0, -- of donations and events
  last_received_at timestamptz not null default timestamptz 'epoch',
  -- Under the same lock, so that a writer that holds it knows whether it has to look for erased idempotency keys.
  has_erasures boolean not null default false,
  retention_days integer check (retention_days > 0), -- how long a donation keeps what its donator wrote; null: for ever
  retained_after bigint not null default 0, -- every donation up to this sequence is erased by age
  -- Batches of donations whose connection was lost: a statement that arrives later finds its batch here and records nothing.
  fenced_batches uuid[]
) with (fillfactor = 50); -- room for in-page updates: every batch of donations touches its streamers' rows
create index streamers_retention on streamers (id) where retention_days is not null; -- whose donations are erased by age

-- Handles, unique over all streamers. A table of its own: a distributed database finds a streamer by handle without asking every node.
create table streamer_handles (
  handle text primary key,
  streamer_id uuid not null constraint streamer_handles_streamer unique
);

create table streamer_preferences (
  streamer_id uuid primary key references streamers,
  time_zone text not null,
  language text not null
);

create table streamer_passwords (
  streamer_id uuid primary key references streamers,
  hash bytea not null,
  salt bytea not null,
  parameters jsonb not null, -- of scrypt, as they were when the hash was made
  changed_at timestamptz not null default now()
);

-- A browser in which a streamer is logged in.
create table sessions (
  hash bytea primary key, -- SHA-256 of the cookie
  streamer_id uuid not null references streamers,
  browser text, -- such as Chrome, Windows; null: unknown
  created_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index sessions_streamer on sessions (streamer_id); -- the list of a streamer's sessions, and ending them
create index sessions_expiry on sessions (expires_at); -- housekeeping

-- What records donations or reads them: a program with API keys, or an OAuth client.
create table applications (
  id uuid primary key,
  streamer_id uuid references streamers, -- null: an OAuth client, which works for many streamers
  name text not null,
  created_at timestamptz not null default now()
);
-- A streamer has one application of a name.
create unique index applications_streamer_name on applications (streamer_id, name) where streamer_id is not null;

create table api_keys (
  id uuid primary key,
  streamer_id uuid not null references streamers,
  application_id uuid not null references applications,
  public_id text not null constraint api_keys_public_id unique, -- the part of the key by which it is found
  secret_hash bytea not null,
  name text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz, -- null: never
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_streamer on api_keys (streamer_id, created_at); -- a streamer's keys, oldest first

-- Keys in the addresses of overlay and widgets. A streamer has several, so that a new link leaves those in OBS alone.
create table overlay_keys (
  id uuid primary key,
  streamer_id uuid not null references streamers,
  public_id text not null constraint overlay_keys_public_id unique, -- the part of the key by which it is found
  secret_hash bytea not null,
  name text not null,
  -- The kind of the widget, and the parameters of its page that do not have their usual value. Null: none, or a link that has them in
  -- its address.
  widget jsonb,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index overlay_keys_of_streamer on overlay_keys (streamer_id, created_at, id); -- a streamer's keys, oldest first, and how many are new

-- One row. Whoever revokes anything raises the version in the same transaction; every process watches it.
create table credential_changes (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 0
);
insert into credential_changes default values;
