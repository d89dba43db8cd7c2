-- Imports: donations from elsewhere that were recorded together, and can be voided together. A donation has no column for it: those of an import
-- are found by their sequences, which one statement takes without gaps, so that recording a donation writes nothing more.

create table imports (
  streamer_id uuid not null references streamers,
  id uuid not null, -- the caller's own, or a new one
  name text, -- of the file; null: through the API
  started_at timestamptz not null default now(),
  undone_at timestamptz, -- null: not undone
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
