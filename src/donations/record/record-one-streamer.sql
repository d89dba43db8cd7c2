-- name: INSERT donations
-- Records a batch of donations of one streamer, as most batches are: record.sql, without looking the streamers up.
-- columns.ts fills in the column lists, without streamer_id: $1 is the streamer, $2 the array of the donations' ids.
-- batch.ts makes a function of it, statement by statement: each part begins and ends with lines of its own.
-- The update waits for the lock, and then reads the row again: a batch that was fenced meanwhile (find-recorded.ts) is not recorded.
-- Returns a row for each stored donation. A donation without a row: its idempotency key is already recorded.
with counted as (
  update streamers set
    last_sequence = last_sequence + cardinality($2::uuid[]),
    last_received_at = greatest(date_trunc('milliseconds', clock_timestamp()), last_received_at) -- never goes back for a streamer
  where id = $1::uuid and coalesce(($2::uuid[])[1] <> all (fenced_batches), true) /* import: unless-undone.sql */
  returning id as streamer_id, last_sequence - cardinality($2::uuid[]) as sequence_before, last_received_at as received_at, has_erasures
),
stored as (
  insert into donations (streamer_id, sequence, received_at, /* columns */)
  select streamer_id, sequence_before + place, received_at, /* values */
  from counted cross join unnest(/* arrays */) with ordinality as input(/* columns */, place)
  -- The key of an erased donation is there as a hash only. Most streamers have none.
  where case when has_erasures and idempotency_key is not null then not exists (
    select from donations e where e.streamer_id = counted.streamer_id and e.application_id = input.application_id
      and e.erased_key = hash_of_key((select secret from erased_key_secret), input.application_id, input.idempotency_key)
  ) else true end
  on conflict (streamer_id, application_id, idempotency_key) where idempotency_key is not null do nothing
  returning streamer_id, id, sequence, skip_alert, received_at
),
alerted as (
  insert into alerts (streamer_id, donation_id, sequence, received_at)
  select streamer_id, id, sequence, received_at from stored where not skip_alert
)
/* import: note-chunk.sql */
select id, sequence, to_millis(received_at) as received_at from stored /* import: undone */
