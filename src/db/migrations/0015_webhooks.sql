-- Webhooks: endpoints that events are sent to, what became of each event, and the processes that send.

-- A process that sends. Once it is no longer alive, its endpoints are free.
create table webhook_workers (
  id uuid primary key,
  alive_until timestamptz not null
);

create table webhook_endpoints (
  id uuid primary key,
  streamer_id uuid not null references streamers,
  application_id uuid not null references applications,
  url text not null,
  description text not null,
  types text[] not null,
  secret bytea not null, -- encrypted when SECRET_KEY is set, as is the previous one
  previous_secret bytea,
  previous_secret_until timestamptz,
  created_at timestamptz not null,
  deleted_at timestamptz, -- its deliveries are deleted later, in batches
  disabled_reason text, -- null: it gets events
  failing_since timestamptz, -- null: the last attempt succeeded
  paused_until timestamptz, -- an answer asked to wait (Retry-After)
  position bigint not null, -- in the streamer's log: every event up to here that it gets has a row in webhook_deliveries
  worker_id uuid -- the process that sends
) with (fillfactor = 70); -- room for in-page updates: the position moves with every batch
create index webhook_endpoints_owner on webhook_endpoints (streamer_id, application_id, created_at) where deleted_at is null; -- list
create index webhook_endpoints_worker on webhook_endpoints (worker_id) where deleted_at is null and disabled_reason is null; -- a worker's own

create table webhook_deliveries (
  endpoint_id uuid not null,
  event_id uuid not null,
  type text not null,
  position bigint not null, -- of the event in the log
  occurred_at timestamptz not null,
  status text not null check (status in ('succeeded', 'retrying', 'failed')),
  failures smallint not null, -- failed attempts, since it was sent first or again by request
  attempts jsonb not null, -- the last ones, oldest first
  next_attempt_at timestamptz, -- null: none follows
  created_at timestamptz not null default now(),
  primary key (endpoint_id, event_id) -- list, newest first
);
create index webhook_deliveries_missed on webhook_deliveries (endpoint_id, status, event_id) where status <> 'succeeded'; -- list by status
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, next_attempt_at) where next_attempt_at is not null; -- retries
create index webhook_deliveries_created_at on webhook_deliveries (created_at); -- what is too old

-- The scopes of the credentials with which an application can act for a streamer; null when it has none.
create function live_scopes(streamer uuid, application uuid) returns text[] language sql stable
  return (select array_agg(distinct scope) from (
    select unnest(k.scopes) as scope from api_keys k
    where k.streamer_id = streamer and k.application_id = application and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > now())
    union all
    select unnest(g.scopes) from oauth_grants g join oauth_clients c on c.id = g.client_id
    where g.streamer_id = streamer and c.application_id = application and c.removed_at is null
      and g.activated_at is not null and g.revoked_at is null
      and exists (select from oauth_refresh_tokens t where t.grant_id = g.id and t.rotated_at is null and t.expires_at > now())
  ) as live);
