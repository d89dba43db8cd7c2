-- Records donations of an import: record-one-streamer.sql, and the sequences that the import got.
-- columns.ts fills in the column lists, without streamer_id: $1 is the streamer, $2 the array of the donations' ids.
-- Returns a row for each stored donation. A donation without a row: its idempotency key is already recorded.
with counted as (
  update streamers set
    last_sequence = last_sequence + cardinality($2::uuid[]),
    last_received_at = greatest(date_trunc('milliseconds', clock_timestamp()), last_received_at) -- never goes back for a streamer
  where id = $1::uuid
  returning last_sequence - cardinality($2::uuid[]) as sequence_before, last_received_at as received_at
),
stored as (
  insert into donations (streamer_id, sequence, received_at, /* columns */)
  select $1::uuid, sequence_before + place, received_at, /* values */
  from counted cross join unnest(/* arrays */) with ordinality as input(/* columns */, place)
  on conflict (streamer_id, application_id, idempotency_key) where idempotency_key is not null do nothing
  returning id, sequence, skip_alert, received_at
),
alerted as (
  insert into alerts (streamer_id, donation_id, sequence, received_at)
  select $1::uuid, id, sequence, received_at from stored where not skip_alert
),
noted as (
  insert into import_batches (streamer_id, import_id, first_sequence, last_sequence, donations)
  select $1::uuid, /* import */::uuid, min(sequence), max(sequence), count(*) from stored having count(*) > 0
)
select id, sequence, to_millis(received_at) as received_at from stored
