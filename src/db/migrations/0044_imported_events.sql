-- Subscribers can leave imported donations out: a flag of each endpoint, and the index that tells of a donation whether an import recorded it.
-- compatible since 0020
-- without a transaction
-- short table: webhook_endpoints
alter table webhook_endpoints add column if not exists with_imported boolean not null default true;
drop index concurrently if exists import_batches_sequences; -- an interrupted start leaves it invalid
create index concurrently import_batches_sequences on import_batches (streamer_id, first_sequence); -- events: the last one before a donation
