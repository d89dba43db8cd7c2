// Looks up what has been recorded of a batch: when the answer of its statement was lost, and when idempotency keys are repeated.

import type { Knex } from "knex";
import { placed } from "../../db/citus/layout.ts";
import type { NewDonation, StoredDonation } from "../donation.ts";
import { type DonationRow, fromRow, selected, withAlert } from "../rows.ts";

const secret = "(select secret from erased_key_secret)";

// Three queries, each with its index: PostgreSQL would read all donations of the streamer for one query with "or".
const lookups = [
  'select d.*, null::text as "askedKey" from wanted w join donations d on d.streamer_id = w.streamer_id and d.id = w.id',
  `select d.*, null::text from wanted w join donations d
     on d.streamer_id = w.streamer_id and d.application_id = w.application_id and d.idempotency_key = w.idempotency_key`,
  `select d.*, w.idempotency_key from wanted w join donations d
     on d.streamer_id = w.streamer_id and d.application_id = w.application_id and d.erased_key = hash_of_key(${secret}, w.application_id, w.idempotency_key)`,
];

const findRecordedSql = (condition = "") => `with wanted as (
       select * from unnest(:streamers::uuid[], :ids::uuid[], :applications::uuid[], :keys::text[]) as i(streamer_id, id, application_id, idempotency_key)
     )
     select ${selected}, d."askedKey" from (${lookups.map((lookup) => `${lookup} ${condition}`.trim()).join(" union ")}) d ${withAlert} ${condition}`;

/** A node is asked alone when the streamer is named: a batch has one there. */
const findSql = placed({
  onServer: () => findRecordedSql(),
  onNodes: () => findRecordedSql("where d.streamer_id = :streamer"),
});

/** `askedKey`: the idempotency key that an erased donation was found by; null for others, which have it. */
export type FoundDonation = StoredDonation & Readonly<{ askedKey: string | null }>;

/** Finds recorded donations with the ids or the idempotency keys of these. Call it after `insertBatch`: it reads a new snapshot. */
export async function findRecorded(pool: Knex, donations: readonly NewDonation[]): Promise<FoundDonation[]> {
  const streamers = pluck(donations, "streamerId");
  const { rows } = await pool.raw<{ rows: (DonationRow & { askedKey: string | null })[] }>(findSql(pool), {
    streamer: streamers[0] ?? null,
    streamers,
    ids: pluck(donations, "id"),
    applications: pluck(donations, "applicationId"),
    keys: pluck(donations, "idempotencyKey"),
  });
  return rows.map((row) => ({ ...fromRow(row), askedKey: row.askedKey }));
}

function pluck<Member extends keyof NewDonation>(donations: readonly NewDonation[], member: Member): NewDonation[Member][] {
  return donations.map((donation) => donation[member]);
}

/** A batch is named by its first donation, which no other batch under way has. */
const fence = `update streamers s
  set fenced_batches = array(select batch from unnest(s.fenced_batches) as batch where batch > :oldest::uuid and batch <> :batch::uuid)
    || :batch::uuid`;
const fenceSql = placed({
  onServer: () => `
  with locked as materialized (select id from streamers where id = any(:streamers::uuid[]) order by id for update)
  ${fence} from locked l where s.id = l.id`,
  onNodes: () => `${fence} where s.id = (:streamers::uuid[])[1]`,
});

/** No statement waits so long in a pooler or a server. Fences before that are forgotten, so that the streamers' rows stay short. */
const keptMs = 600_000;

/**
 * From its return on, the batch is recorded or never will be. Waits for a statement of the batch that is under way, no longer than the pool's
 * lock time-out; then it rejects, as it does when the database can't be reached, and may be called again.
 */
export async function fenceBatch(pool: Knex, donations: readonly NewDonation[]): Promise<void> {
  const streamers = [...new Set(donations.map(({ streamerId }) => streamerId))];
  const batch = donations[0]?.id ?? null;
  await pool.raw(fenceSql(pool), { streamers, batch, oldest: firstIdOf(Date.now() - keptMs) });
}

/** The smallest id (UUID version 7) that can be made at this time. */
function firstIdOf(time: number): string {
  const hex = time.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}
