-- name: INSERT donations
-- Records a batch of donations, of any streamers, in one statement: the donations, their alerts, the streamers' counters.
-- columns.ts fills in the column lists: the names of the inserted columns, the stored values, the arrays that are sent.
-- Lock order: streamers by id, then rows by (streamer, application, key, id), the same in every process: no deadlock.
-- $2 is the array of the donations' ids; the first one names the batch, which is not recorded once it was fenced (find-recorded.ts).
-- Returns a row for each stored donation, and one without a sequence where the streamer's row could not be locked (only when `skip locked`
-- is added below). A donation without a row: its idempotency key is already recorded.
with input as (
  select * from unnest(/* arrays */) as i(/* columns */)
),
locked as materialized (
  select id, last_sequence, last_received_at, has_erasures from streamers
  where id in (select streamer_id from input) and coalesce(($2::uuid[])[1] <> all (fenced_batches), true)
  order by id for update /* skip locked */
),
-- Read after the locks are held (it depends on them), so that time never goes back for a streamer.
stamp as materialized (
  select date_trunc('milliseconds', clock_timestamp()) as now, count(*) from locked
),
numbered as materialized (
  select i.*, l.has_erasures, greatest(s.now, l.last_received_at) as received_at,
    l.last_sequence + row_number() over (
      partition by i.streamer_id order by i.application_id, i.idempotency_key, i.id
    ) as sequence
  from input i join locked l on l.id = i.streamer_id cross join stamp s
),
counted as (
  update streamers s set last_sequence = n.sequence, last_received_at = n.received_at
  from (select streamer_id, max(sequence) as sequence, max(received_at) as received_at from numbered group by streamer_id) n
  where s.id = n.streamer_id
),
stored as (
  insert into donations (sequence, received_at, /* columns */)
  select sequence, received_at, /* values */
  from numbered n
  -- The key of an erased donation is there as a hash only. Most streamers have none.
  where case when has_erasures and idempotency_key is not null then not exists (
    select from donations e where e.streamer_id = n.streamer_id and e.application_id = n.application_id
      and e.erased_key = hash_of_key((select secret from erased_key_secret), n.application_id, n.idempotency_key)
  ) else true end
  order by streamer_id, sequence
  on conflict (streamer_id, application_id, idempotency_key) where idempotency_key is not null do nothing
  returning streamer_id, id, sequence, skip_alert, received_at
),
alerted as (
  insert into alerts (streamer_id, donation_id, sequence, received_at)
  select streamer_id, id, sequence, received_at from stored where not skip_alert
)
select id, sequence, to_millis(received_at) as received_at from stored
union all
select id, null, null from input where streamer_id not in (select id from locked)
