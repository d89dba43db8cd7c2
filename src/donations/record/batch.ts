// The statement that records a batch of donations: one connection, one round trip, one transaction.

import { readFileSync } from "node:fs";
import type { Knex } from "knex";
import type { Client, QueryConfig } from "pg";
import { isDistributed } from "../../db/citus/distributed.ts";
import { callsOf } from "../../db/citus/node-functions.ts";
import { parametersOfOneStreamer, toArrays, withColumns } from "../columns.ts";
import type { NewDonation } from "../donation.ts";
import { functionOf } from "./record-on-node.ts";

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

/** The prepared statement that suits the batch, with its values. */
export async function recordStatement(pool: Knex, donations: readonly NewDonation[], skipLocked: boolean): Promise<QueryConfig> {
  const [first, ...others] = donations as [NewDonation, ...NewDonation[]];
  const arrays = toArrays(donations);
  if (isDistributed(pool)) return recordOnNode(pool, [first.streamerId, ...arrays.slice(1)]);
  if (skipLocked) return { ...recordManySkipLocked, values: arrays };
  if (others.some(({ streamerId }) => streamerId !== first.streamerId)) return { ...recordMany, values: arrays };
  return { ...recordOneStreamer, values: [first.streamerId, ...arrays.slice(1)] };
}

/** An SQLSTATE below the connection level means that the server answered: the statement was rolled back. */
function isStatementError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^(?=.*[0-9])[0-9A-Z]{5}$/.test(code) && !/^(08|57P)/.test(code);
}
