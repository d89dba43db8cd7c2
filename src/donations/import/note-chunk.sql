-- Goes into record-one-streamer.sql, at its marked place: notes for the import which sequences the chunk got.
, noted as (
  insert into import_batches (streamer_id, import_id, first_sequence, last_sequence, donations)
  select streamer_id, /* import */::uuid, min(sequence), max(sequence), count(*) from stored group by streamer_id
)
