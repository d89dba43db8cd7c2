// The statements that record a batch of donations, and the function that does so on a node of Citus. All have the columns of columns.ts.
//
// They return a row for each stored donation. A donation without a row: its idempotency key is already recorded. The key of an erased donation
// is there as a hash only, which is looked for where the streamer has erasures; most have none.

import { type NodeFunction, nodeFunction } from "../../db/citus/node-functions.ts";
import { listColumns, members, parametersOfOneStreamer } from "../columns.ts";

/** The name of a statement in traces. */
const named = "-- name: INSERT donations";
const sent = listColumns();
const sentOfOne = listColumns(["streamerId"]);

/** Not recorded yet; `row`: what the key would be recorded for. */
const isNew = (row: string, input: string, secret = "(select secret from erased_key_secret)") =>
  `case when has_erasures and idempotency_key is not null then not exists (
    select from donations e where e.streamer_id = ${row}.streamer_id and e.application_id = ${input}.application_id
      and e.erased_key = hash_of_key(${secret}, ${input}.application_id, ${input}.idempotency_key)
  ) else true end`;

const keptOnce = "on conflict (streamer_id, application_id, idempotency_key) where idempotency_key is not null do nothing";
const returned = "returning streamer_id, id, sequence, skip_alert, received_at";

/** `stored`: the donations that were stored. */
const alertsOf = (stored: string) => `insert into alerts (streamer_id, donation_id, sequence, received_at)
  select streamer_id, id, sequence, received_at from ${stored} where not skip_alert`;

/**
 * Records donations of any streamers: the donations, their alerts, the streamers' counters. The parameters are an array for each column. The
 * first id names the batch, which is not recorded once it was fenced (find-recorded.ts).
 * Lock order: streamers by id, then rows by (streamer, application, key, id), the same in every process: no deadlock.
 * `skipLocked`: a donation whose streamer's row is locked has a row without a sequence.
 */
export const recordMany = (skipLocked: boolean): string => `${named}
with input as (
  select * from unnest(${sent.arrays}) as i(${sent.names})
),
locked as materialized (
  select id, last_sequence, last_received_at, has_erasures from streamers
  where id in (select streamer_id from input) and coalesce(($2::uuid[])[1] <> all (fenced_batches), true)
  order by id for update${skipLocked ? " skip locked" : ""}
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
  insert into donations (sequence, received_at, ${sent.names})
  select sequence, received_at, ${sent.values}
  from numbered n
  where ${isNew("n", "n")}
  order by streamer_id, sequence
  ${keptOnce}
  ${returned}
),
alerted as (
  ${alertsOf("stored")}
)
select id, sequence, to_millis(received_at) as received_at from stored
union all
select id, null, null from input where streamer_id not in (select id from locked)`;

// A batch of one streamer, as most are: $1 is the streamer, the other parameters are arrays. An import adds its id, the last parameter: a chunk
// of one that was undone gets a row without an id, an undo waits for the chunk, and the import notes which sequences the chunk got.

const importId = `$${members.length + 1}::uuid`;
const ofOpenImport = ` and exists (select from imports where streamer_id = $1::uuid and id = ${importId} and undone_at is null for share)`;
const chunkOf = (stored: string) => `insert into import_batches (streamer_id, import_id, first_sequence, last_sequence, donations)
  select streamer_id, ${importId}, min(sequence), max(sequence), count(*) from ${stored} group by streamer_id`;

/** Waits for the streamer's lock, and then reads the row again: a batch that was fenced meanwhile is not recorded. Time never goes back. */
const count = (clock: string, forImport: boolean) => `update streamers set
    last_sequence = last_sequence + cardinality($2::uuid[]),
    last_received_at = greatest(date_trunc('milliseconds', ${clock}), last_received_at)
  where id = $1::uuid and coalesce(($2::uuid[])[1] <> all (fenced_batches), true)${forImport ? ofOpenImport : ""}
  returning id as streamer_id, last_sequence - cardinality($2::uuid[]) as sequence_before, last_received_at as received_at, has_erasures`;

const store = (counted: string, secret?: string) => `insert into donations (streamer_id, sequence, received_at, ${sentOfOne.names})
  select streamer_id, sequence_before + place, received_at, ${sentOfOne.values}
  from ${counted} cross join unnest(${sentOfOne.arrays}) with ordinality as input(${sentOfOne.names}, place)
  where ${isNew("counted", "input", secret)}
  ${keptOnce}`;

const answer = (stored: string) => `select id, sequence, to_millis(received_at) as received_at from ${stored}`;

export const recordOne = (forImport: boolean): string => `${named}
with counted as (
  ${count("clock_timestamp()", forImport)}
),
stored as (
  ${store("counted")}
  ${returned}
),
alerted as (
  ${alertsOf("stored")}
)${forImport ? `,\nnoted as (\n  ${chunkOf("stored")}\n)` : ""}
${answer("stored")}${forImport ? " union all select null, null, null where not exists (select from counted)" : ""}`;

/** A batch waits for the streamer's lock no longer than this. The time-out of the pool is one of the coordinator. */
const lockTimeoutMs = 250;

// The streamer comes from a table, so that Citus sees that the rows stay on this node. The sequences after the counter are this batch's alone,
// because the row of the counter is locked.
const countedOnNode = `(select id as streamer_id, row_before.sequence_before, row_before.received_at, row_before.has_erasures
    from streamers where id = $1) as counted`;
const storedOnNode = `(select streamer_id, id, sequence, skip_alert, received_at from donations where streamer_id = $1
    and sequence > row_before.sequence_before and sequence <= row_before.sequence_before + cardinality($2)) as stored`;

/** The same as `recordOne` in several statements, because Citus sends no insert inside of `with` as a whole. */
export const recordOneOnNode = (forImport: boolean): NodeFunction =>
  nodeFunction("record", {
    parameters: [...parametersOfOneStreamer, ...(forImport ? ["uuid"] : [])],
    returns: "id uuid, sequence bigint, received_at bigint",
    settings: { lock_timeout: lockTimeoutMs },
    body: `
#variable_conflict use_column
declare
  clock timestamptz := clock_timestamp();
  row_before record;
  secret_of_keys bytea;
begin
  ${count("clock", forImport)} into row_before;
  if not found then
    ${forImport ? "return query select null::uuid, null::bigint, null::bigint;" : ""}
    return;
  end if;
  if row_before.has_erasures then
    select secret from erased_key_secret into secret_of_keys;
  end if;
  ${store(countedOnNode, "secret_of_keys")};
  ${alertsOf(storedOnNode)};
  ${forImport ? `${chunkOf(storedOnNode)};` : ""}
  return query ${answer(storedOnNode)};
end`,
  });
