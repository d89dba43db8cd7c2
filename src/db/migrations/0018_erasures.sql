-- Erasures: what a person wrote goes, what counts stays. Who is erased is never stored, not even as a hash that the database could test.

create table erasures (
  id uuid primary key,
  streamer_id uuid not null references streamers,
  began_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz, -- null: it goes on, or was interrupted and is continued from the journal
  swept_at timestamptz, -- when what requests under way had written afterwards was erased, too
  donations bigint not null default 0
);
create index erasures_unswept on erasures (began_at) where swept_at is null; -- what is left to do
create index erasures_finished_at on erasures (finished_at); -- processes drop the answers that they keep of these streamers

-- Under the lock of this row, so that a writer that holds it knows whether it has to look for erased idempotency keys.
alter table streamers add column has_erasures boolean not null default false;

-- The idempotency key of an erased donation, as a keyed hash: a repeated request is answered and does not bring the person back.
alter table donations add column erased_key bytea;
create unique index donations_erased_key on donations (streamer_id, application_id, erased_key) where erased_key is not null;

create table erased_key_secret (
  only_row boolean primary key default true check (only_row),
  secret bytea not null
);
insert into erased_key_secret (secret) values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

create function hash_of_key(application uuid, key text) returns bytea language sql stable
  return (select sha256(secret || sha256(secret || uuid_send(application) || convert_to(key, 'UTF8'))) from erased_key_secret);
