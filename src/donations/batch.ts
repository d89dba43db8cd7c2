// The statement that records a batch of donations: one connection, one round trip, one transaction.

import { readFileSync } from "node:fs";
import type { Knex } from "knex";
import type { Client, QueryConfig } from "pg";
import { toArrays } from "./arrays.ts";
import { withColumns } from "./columns.ts";
import type { NewDonation, StoredDonation } from "./donation.ts";
import { type DonationRow, fromRow, selected, withAlert } from "./rows.ts";

/** The outcome of one donation of a batch. A donation without a row: its idempotency key is already recorded. */
export type BatchRow = StoredRow | LockedRow;
type StoredRow = Readonly<{ id: string; sequence: number; received_at: number }>;
/** Another transaction has locked the streamer's row, and `skipLocked` was true. */
type LockedRow = Readonly<{ id: string; sequence: null; received_at: null }>;

/** A connection that failed while the statement was under way: only the database knows whether it committed. */
export class LostConnection extends Error {
  readonly backend: Backend;

  constructor(backend: Backend, cause: unknown) {
    super("the connection was lost while a batch was being recorded", { cause });
    this.name = "LostConnection";
    this.backend = backend;
  }
}

/** A server process of PostgreSQL. Its start time tells it from a later one with the same pid. */
export type Backend = Readonly<{ pid: number; startedAt: string }>;

const readSql = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const manySql = withColumns(readSql("record.sql"));
const oneStreamerSql = withColumns(readSql("record-one-streamer.sql"), ["streamerId"]);

// Prepared once per connection: planning would cost as much as a small batch.
const recordMany = { name: "record", text: manySql };
const recordManySkipLocked = { name: "record-skip-locked", text: manySql.replace("/* skip locked */", "skip locked") };
export const recordOneStreamer = { name: "record-one-streamer", text: oneStreamerSql };

/** Records a batch. Throws the error of the database, or LostConnection when the outcome is unknown. */
export function insertBatch(pool: Knex, donations: readonly NewDonation[], skipLocked: boolean): Promise<BatchRow[]> {
  return sendBatch(pool, recordStatement(donations, skipLocked));
}

/** Sends a recording statement. Throws the error of the database, or LostConnection when the outcome is unknown. */
export async function sendBatch(pool: Knex, statement: QueryConfig): Promise<BatchRow[]> {
  const client: Client = await pool.client.acquireConnection();
  try {
    const backend = await identify(client);
    try {
      const { rows } = await client.query<BatchRow>(statement);
      return rows;
    } catch (error) {
      throw isStatementError(error) ? error : new LostConnection(backend, error);
    }
  } finally {
    await pool.client.releaseConnection(client);
  }
}

// Three queries, each with its index: PostgreSQL would read all donations of the streamer for one query with "or".
const byId = 'select d.*, null::text as "askedKey" from wanted join donations d using (streamer_id, id)';
const byKey = 'select d.*, null::text as "askedKey" from wanted join donations d using (streamer_id, application_id, idempotency_key)';
const byErasedKey = `select d.*, w.idempotency_key as "askedKey" from wanted w join donations d
  on d.streamer_id = w.streamer_id and d.application_id = w.application_id and d.erased_key = hash_of_key(w.application_id, w.idempotency_key)`;

/** `askedKey`: the idempotency key that an erased donation was found by; null for others, which have it. */
export type FoundDonation = StoredDonation & Readonly<{ askedKey: string | null }>;

/** Finds recorded donations with the ids or the idempotency keys of these. Call it after `insertBatch`: it reads a new snapshot. */
export async function findRecorded(pool: Knex, donations: readonly NewDonation[]): Promise<FoundDonation[]> {
  const { rows } = await pool.raw<{ rows: (DonationRow & { askedKey: string | null })[] }>(
    `with wanted as (
       select * from unnest(?::uuid[], ?::uuid[], ?::uuid[], ?::text[]) as i(streamer_id, id, application_id, idempotency_key)
     )
     select ${selected}, d."askedKey" from (${byId} union ${byKey} union ${byErasedKey}) d ${withAlert}`,
    [
      pluck(donations, "streamerId"),
      pluck(donations, "id"),
      pluck(donations, "applicationId"),
      pluck(donations, "idempotencyKey"),
    ] as never,
  );
  return rows.map((row) => ({ ...fromRow(row), askedKey: row.askedKey }));
}

/** Ends a lost backend, so that nothing it was doing can still commit. Returns when it is gone. */
export async function endBackend(pool: Knex, { pid, startedAt }: Backend): Promise<void> {
  await pool.raw("select pg_terminate_backend(pid, 2000) from pg_stat_activity where pid = ? and backend_start = ?::timestamptz", [
    pid,
    startedAt,
  ]);
}

const backends = new WeakMap<Client, Backend>();

async function identify(client: Client): Promise<Backend> {
  const known = backends.get(client);
  if (known) return known;
  const { rows } = await client.query<Backend>(
    `select pid, backend_start::text as "startedAt" from pg_stat_activity where pid = pg_backend_pid()`,
  );
  const backend = rows[0] as Backend;
  backends.set(client, backend);
  return backend;
}

/** An SQLSTATE below the connection level means that the server answered: the statement was rolled back. */
function isStatementError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^(?=.*[0-9])[0-9A-Z]{5}$/.test(code) && !/^(08|57P)/.test(code);
}

/** The prepared statement that suits the batch, with its values. */
function recordStatement(donations: readonly NewDonation[], skipLocked: boolean): QueryConfig {
  const [first, ...others] = donations as [NewDonation, ...NewDonation[]];
  const arrays = toArrays(donations);
  if (skipLocked) return { ...recordManySkipLocked, values: arrays };
  if (others.some(({ streamerId }) => streamerId !== first.streamerId)) return { ...recordMany, values: arrays };
  return { ...recordOneStreamer, values: [first.streamerId, ...arrays.slice(1)] };
}

function pluck<Member extends keyof NewDonation>(donations: readonly NewDonation[], member: Member): NewDonation[Member][] {
  return donations.map((donation) => donation[member]);
}
