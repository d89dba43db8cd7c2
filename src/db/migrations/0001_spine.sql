-- The spine: streamers, the applications and keys that act for them, donations and their alerts.
-- Hot tables carry no foreign keys: the recording statement joins the locked streamer itself, and rows are never deleted.

create table streamers (
  id uuid primary key,
  handle text not null constraint streamers_handle unique,
  created_at timestamptz not null default now(),
  -- Both rise under this row's lock, so their order is the order of commits.
  last_sequence bigint not null default 0,
  last_received_at timestamptz not null default timestamptz 'epoch'
) with (fillfactor = 50); -- room for in-page updates: every batch of donations touches its streamers' rows

create table applications (
  id uuid primary key,
  streamer_id uuid references streamers, -- null: an OAuth client, which works for many streamers
  name text not null,
  created_at timestamptz not null default now()
);
create unique index applications_streamer_name on applications (streamer_id, name) where streamer_id is not null;

create table api_keys (
  id uuid primary key,
  streamer_id uuid not null references streamers,
  application_id uuid not null references applications,
  public_id text not null constraint api_keys_public_id unique,
  secret_hash bytea not null,
  name text not null,
  scopes text[] not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_streamer on api_keys (streamer_id, created_at); -- keys list

-- One row. Whoever revokes anything raises the version in the same transaction; every process watches it.
create table credential_changes (
  only_row boolean primary key default true check (only_row),
  version bigint not null default 0
);
insert into credential_changes default values;

-- Secrets that all processes share, such as the key that signs cursors.
create table shared_secrets (
  name text primary key,
  value bytea not null
);

create table donations (
  streamer_id uuid not null,
  id uuid not null,
  sequence bigint not null, -- per streamer, rising in commit order, gaps allowed
  application_id uuid not null,
  idempotency_key text,
  donator_name text not null,
  donator_key text not null, -- i:<identifier> or n:<normalised name>
  amount numeric not null,
  currency text not null,
  message text not null,
  identifier text,
  skip_alert boolean not null,
  source text not null check (source in ('external', 'native', 'test')),
  channel text not null,
  created_at timestamptz not null,
  created_offset smallint, -- the caller's offset in minutes; null: the caller sent no createdAt
  received_at timestamptz not null,
  primary key (streamer_id, id)
);
-- A repeated idempotency key of one application is one donation, for ever.
create unique index donations_idempotency_key
  on donations (streamer_id, application_id, idempotency_key)
  where idempotency_key is not null;
create unique index donations_sequence on donations (streamer_id, sequence); -- list by receivedAt, poller
create index donations_created_at on donations (streamer_id, created_at, sequence); -- list by createdAt, ranges
create index donations_amount on donations (streamer_id, amount, sequence); -- list by amount

-- State only: delivery to the overlay reads and moves it. A donation without a row asked for no alert.
create table alerts (
  streamer_id uuid not null,
  donation_id uuid not null,
  sequence bigint not null,
  status text not null default 'queued',
  reason text,
  shown_at timestamptz,
  primary key (streamer_id, donation_id)
);
-- The next alert to play.
create index alerts_waiting on alerts (streamer_id, sequence) where status = 'queued';

-- Instants travel as milliseconds: drivers bind and read far years wrongly.
create function from_millis(ms bigint) returns timestamptz language sql stable
  return timestamptz 'epoch' + (ms / 86400000)::int * interval '24 hours' + (ms % 86400000)::int * interval '1 millisecond';
create function to_millis(t timestamptz) returns bigint language sql stable
  return (extract(epoch from t) * 1000)::bigint;
