// The statement that records a batch of donations: one connection, one round trip, one transaction.

import { readFileSync } from "node:fs";
import type { Knex } from "knex";
import type { Client, QueryConfig } from "pg";
import { isDistributed } from "../db/citus/distributed.ts";
import { callsOf } from "../db/citus/node-functions.ts";
import { parametersOfOneStreamer, toArrays, withColumns } from "./columns.ts";
import type { NewDonation, StoredDonation } from "./donation.ts";
import { functionOf } from "./record-on-node.ts";
import { type DonationRow, fromRow, selected, withAlert } from "./rows.ts";

/** The outcome of one donation of a batch. A donation without a row: its idempotency key is already recorded. */
export type BatchRow = StoredRow | LockedRow;
type StoredRow = Readonly<{ id: string; sequence: number; received_at: number }>;
/** Another transaction has locked the streamer's row, and `skipLocked` was true. */
type LockedRow = Readonly<{ id: string; sequence: null; received_at: null }>;

/** A connection that failed while the statement was under way: only the database knows whether it committed. */
export class LostConnection extends Error {
  constructor(cause: unknown) {
    super("the connection was lost while a batch was being recorded", { cause });
    this.name = "LostConnection";
  }
}

const readSql = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const manySql = withColumns(readSql("record.sql"));
const oneStreamerSql = withColumns(readSql("record-one-streamer.sql"), ["streamerId"]);

// Prepared once per connection, where a pooler allows it: planning would cost as much as a small batch.
const recordMany = { name: "record", text: manySql };
const recordManySkipLocked = { name: "record-skip-locked", text: manySql.replace("/* skip locked */", "skip locked") };
export const recordOneStreamer = { name: "record-one-streamer", text: oneStreamerSql };

const recordOnNode = callsOf(functionOf(oneStreamerSql, parametersOfOneStreamer));

/** Records a batch, of one streamer where the database is distributed. Throws the error of the database, or LostConnection when the outcome is unknown. */
export async function insertBatch(pool: Knex, donations: readonly NewDonation[], skipLocked: boolean): Promise<BatchRow[]> {
  return sendBatch(pool, await recordStatement(pool, donations, skipLocked));
}

/** Sends a recording statement. Throws the error of the database, or LostConnection when the outcome is unknown. */
export async function sendBatch(pool: Knex, statement: QueryConfig): Promise<BatchRow[]> {
  const client: Client = await pool.client.acquireConnection();
  try {
    const { rows } = await client.query<BatchRow>(statement);
    return rows;
  } catch (error) {
    throw isStatementError(error) ? error : new LostConnection(error);
  } finally {
    await pool.client.releaseConnection(client);
  }
}

// Three queries, each with its index: PostgreSQL would read all donations of the streamer for one query with "or".
const secret = "(select secret from erased_key_secret)";
const findings = [
  'select d.*, null::text as "askedKey" from wanted w join donations d on d.streamer_id = w.streamer_id and d.id = w.id',
  `select d.*, null::text from wanted w join donations d
     on d.streamer_id = w.streamer_id and d.application_id = w.application_id and d.idempotency_key = w.idempotency_key`,
  `select d.*, w.idempotency_key from wanted w join donations d
     on d.streamer_id = w.streamer_id and d.application_id = w.application_id and d.erased_key = hash_of_key(${secret}, w.application_id, w.idempotency_key)`,
];
// A distributed database asks the one node of the streamer when it is named.
const ofOne = "where d.streamer_id = :streamer";
const findingsOfOne = findings.map((finding) => `${finding} ${ofOne}`);

/** `askedKey`: the idempotency key that an erased donation was found by; null for others, which have it. */
export type FoundDonation = StoredDonation & Readonly<{ askedKey: string | null }>;

/** Finds recorded donations with the ids or the idempotency keys of these. Call it after `insertBatch`: it reads a new snapshot. */
export async function findRecorded(pool: Knex, donations: readonly NewDonation[]): Promise<FoundDonation[]> {
  const streamers = pluck(donations, "streamerId");
  const { rows } = await pool.raw<{ rows: (DonationRow & { askedKey: string | null })[] }>(
    `with wanted as (
       select * from unnest(:streamers::uuid[], :ids::uuid[], :applications::uuid[], :keys::text[]) as i(streamer_id, id, application_id, idempotency_key)
     )
     select ${selected}, d."askedKey" from (${(isDistributed(pool) ? findingsOfOne : findings).join(" union ")}) d ${withAlert}
     ${isDistributed(pool) ? ofOne : ""}`,
    {
      streamer: streamers[0] ?? null,
      streamers,
      ids: pluck(donations, "id"),
      applications: pluck(donations, "applicationId"),
      keys: pluck(donations, "idempotencyKey"),
    } as never,
  );
  return rows.map((row) => ({ ...fromRow(row), askedKey: row.askedKey }));
}

/** An SQLSTATE below the connection level means that the server answered: the statement was rolled back. */
function isStatementError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^(?=.*[0-9])[0-9A-Z]{5}$/.test(code) && !/^(08|57P)/.test(code);
}

/** The prepared statement that suits the batch, with its values. */
export async function recordStatement(pool: Knex, donations: readonly NewDonation[], skipLocked: boolean): Promise<QueryConfig> {
  const [first, ...others] = donations as [NewDonation, ...NewDonation[]];
  const arrays = toArrays(donations);
  if (isDistributed(pool)) return recordOnNode(pool, [first.streamerId, ...arrays.slice(1)]);
  if (skipLocked) return { ...recordManySkipLocked, values: arrays };
  if (others.some(({ streamerId }) => streamerId !== first.streamerId)) return { ...recordMany, values: arrays };
  return { ...recordOneStreamer, values: [first.streamerId, ...arrays.slice(1)] };
}

function pluck<Member extends keyof NewDonation>(donations: readonly NewDonation[], member: Member): NewDonation[Member][] {
  return donations.map((donation) => donation[member]);
}
