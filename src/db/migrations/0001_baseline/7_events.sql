-- EVENTS and webhooks.

-- The log of events: donation.created is the donation itself, everything else is a row here. Both have their number from
-- streamers.last_sequence, under the lock of that row, so that their order is the order of commits and a reader passes nothing by.
create table events (
  streamer_id uuid not null,
  type text not null,
  sequence bigint not null,
  id uuid not null,
  occurred_at timestamptz not null,
  donation_id uuid, -- null: it concerns no single donation
  details jsonb not null, -- members of the event's data that are not the donation's
  primary key (streamer_id, type, sequence) -- a page reads each of its types from its cursor on
);
create index events_of_donation on events (streamer_id, donation_id, sequence) where donation_id is not null; -- the studio's page of a donation
create index events_occurred_at on events (occurred_at); -- housekeeping

-- Each lets a program that can set no header open one WebSocket.
create table event_tickets (
  ticket_hash bytea primary key, -- SHA-256
  credential bytea not null, -- the Authorization header that it was made with, encrypted with the ticket
  expires_at timestamptz not null
);

-- A process that sends webhooks. Once it is no longer alive, its endpoints are free.
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
  with_imported boolean not null default true, -- false: events of imported donations are left out
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
-- List.
create index webhook_endpoints_owner on webhook_endpoints (streamer_id, application_id, created_at) where deleted_at is null;
-- A worker's own.
create index webhook_endpoints_worker on webhook_endpoints (worker_id) where deleted_at is null and disabled_reason is null;

-- What became of each event at an endpoint.
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
create index webhook_deliveries_created_at on webhook_deliveries (created_at); -- housekeeping

-- A UUID of version 7 (RFC 9562 5.7) of the present millisecond.
create function uuid_v7() returns uuid language sql volatile
  return encode(overlay(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3) from 1 for 6)
    placing set_byte('\x00', 0, (112 | (get_byte(uuid_send(gen_random_uuid()), 0) & 15))) from 7 for 1), 'hex')::uuid;
