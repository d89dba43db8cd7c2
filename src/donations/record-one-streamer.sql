-- Records a batch of donations of one streamer, which most batches are: what record.sql does, without looking for whose they are.
-- The update waits for the lock, and sees the row anew when it had to.
-- Answers a row for each donation that was stored; where there is none, its idempotency key is taken.
with counted as (
  update streamers set
    last_sequence = last_sequence + cardinality($2::uuid[]),
    last_received_at = greatest(date_trunc('milliseconds', clock_timestamp()), last_received_at) -- never goes back for a streamer
  where id = $1::uuid
  returning last_sequence - cardinality($2::uuid[]) as sequence_before, last_received_at as received_at
),
stored as (
  insert into donations (
    streamer_id, id, sequence, application_id, idempotency_key, donator_name, donator_key, amount, currency, message, identifier,
    skip_alert, source, channel, created_at, created_offset, received_at
  )
  select $1::uuid, id, sequence_before + place, application_id, idempotency_key, donator_name, donator_key, amount, currency, message,
    identifier, skip_alert, source, channel, coalesce(from_millis(created_at), received_at), created_offset, received_at
  from counted cross join unnest(
    $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::numeric[], $8::text[], $9::text[], $10::text[],
    $11::boolean[], $12::text[], $13::text[], $14::bigint[], $15::smallint[]
  ) with ordinality as input(
    id, application_id, idempotency_key, donator_name, donator_key, amount, currency, message, identifier,
    skip_alert, source, channel, created_at, created_offset, place
  )
  on conflict (streamer_id, application_id, idempotency_key) where idempotency_key is not null do nothing
  returning id, sequence, skip_alert, received_at
),
alerted as (
  insert into alerts (streamer_id, donation_id, sequence, received_at)
  select $1::uuid, id, sequence, received_at from stored where not skip_alert
)
select id, sequence, to_millis(received_at) as received_at from stored
