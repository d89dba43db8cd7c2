-- DONATIONS, with their imports and erasures.

create table donations (
  streamer_id uuid not null,
  id uuid not null,
  sequence bigint not null, -- per streamer, rising in commit order, gaps allowed
  application_id uuid not null,
  idempotency_key text,
  erased_key bytea, -- hash_of_key of the idempotency key of an erased donation: a repeated request does not bring the person back
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
  -- Money that came back, or that never came: the donation stays, and counts nowhere.
  voided_at timestamptz, -- null: it is not void
  void_reason text,
  void_note text,
  primary key (streamer_id, id)
)
-- An index alone tells of the rows on pages that vacuum has seen full and settled: let it come by for every fiftieth new row.
with (autovacuum_vacuum_insert_scale_factor = 0.02);
-- A repeated idempotency key of one application is one donation, for ever, also after the donation was erased.
create unique index donations_idempotency_key on donations (streamer_id, application_id, idempotency_key) where idempotency_key is not null;
create unique index donations_erased_key on donations (streamer_id, application_id, erased_key) where erased_key is not null;
create unique index donations_sequence on donations (streamer_id, sequence); -- list by receivedAt, events, roll-ups, search
create index donations_created_at on donations (streamer_id, created_at, sequence); -- list by createdAt, ranges
-- List by amount. It throws most rows away where the range is short and the history long, so the index has what that is decided by.
create index donations_amount_list on donations (streamer_id, amount, sequence) include (created_at, source, channel);
-- The few void donations of a streamer, in each order of lists. The first index also tells whether a donation is void without reading its row.
create index donations_voided on donations (streamer_id, sequence) where voided_at is not null; -- list by receivedAt
create index donations_voided_created_at on donations (streamer_id, created_at, sequence) where voided_at is not null; -- list by createdAt
create index donations_voided_amount on donations (streamer_id, amount, sequence) where voided_at is not null; -- list by amount

-- Donations from elsewhere that were recorded together, and can be voided together. A donation has no column for it: those of an import are
-- found by their sequences, which one statement takes without gaps, so that recording a donation writes nothing more.
create table imports (
  streamer_id uuid not null references streamers,
  id uuid not null, -- the caller's own, or a new one
  name text, -- of the file; null: through the API
  started_at timestamptz not null default now(),
  undone_at timestamptz, -- null: not undone
  progress jsonb, -- counts, faults and state of a file in the studio, whichever process imports it; null: through the API or the command line
  progressed_at timestamptz, -- one that runs and has not progressed for a minute was interrupted
  primary key (streamer_id, id)
);
create index imports_started_at on imports (streamer_id, started_at); -- list, newest first

-- One row for each statement that recorded donations of an import.
create table import_batches (
  streamer_id uuid not null,
  import_id uuid not null,
  first_sequence bigint not null,
  last_sequence bigint not null, -- every donation of the streamer from the first to the last belongs to the import
  donations integer not null,
  primary key (streamer_id, import_id, first_sequence)
);
create index import_batches_sequences on import_batches (streamer_id, first_sequence); -- whether an import recorded a donation

-- Erasures: what a person wrote goes, what counts stays. Who is erased is never stored, not even as a hash that the database could test.
create table erasures (
  id uuid primary key,
  streamer_id uuid not null references streamers,
  began_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz, -- null: it goes on, or was interrupted and is continued from the journal
  swept_at timestamptz, -- when what requests under way had written afterwards was erased, too
  donations bigint not null default 0
);
create index erasures_streamer on erasures (streamer_id, began_at); -- a streamer's list, newest first: read backwards
create index erasures_unswept on erasures (began_at) where swept_at is null; -- what is left to do
create index erasures_finished_at on erasures (finished_at); -- processes drop the answers that they keep of these streamers

-- One row: the key of the hashes in donations.erased_key.
create table erased_key_secret (
  only_row boolean primary key default true check (only_row),
  secret bytea not null
);
insert into erased_key_secret (secret) values (uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));

-- Instants travel as milliseconds: drivers bind and read far years wrongly.
create function from_millis(ms bigint) returns timestamptz language sql stable
  return timestamptz 'epoch' + (ms / 86400000)::int * interval '24 hours' + (ms % 86400000)::int * interval '1 millisecond';
create function to_millis(t timestamptz) returns bigint language sql stable
  return (extract(epoch from t) * 1000)::bigint;

-- The keyed hash of an idempotency key, for donations.erased_key. The secret comes with the call: a function that reads a table can't be part
-- of a statement on another node.
create function hash_of_key(secret bytea, application uuid, key text) returns bytea language sql immutable parallel safe
  return sha256(secret || sha256(secret || uuid_send(application) || convert_to(key, 'UTF8')));
