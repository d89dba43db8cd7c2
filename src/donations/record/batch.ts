// Records a batch of donations: one connection, one round trip, one transaction. Where Citus distributes the database, it
// runs as a function on the node of the streamer.

import type { Knex } from "knex";
import type { Client, QueryConfig } from "pg";
import { placed } from "../../db/citus/layout.ts";
import { callsOf } from "../../db/citus/node-functions.ts";
import { toArrays } from "../columns.ts";
import type { NewDonation } from "../donation.ts";
import { recordMany, recordOne, recordOneOnNode } from "./record-statements.ts";

/** The outcome of one donation of a batch. A donation whose idempotency key is already recorded has no row. */
export type BatchRow = StoredRow | LockedRow;
type StoredRow = Readonly<{ id: string; sequence: number; received_at: number }>;
/** With `skipLocked`: another transaction has locked the streamer's row. */
type LockedRow = Readonly<{ id: string; sequence: null; received_at: null }>;

/** A connection that failed while the statement was under way: only the database knows whether it committed. */
export class LostConnection extends Error {
  constructor(cause: unknown) {
    super("the connection was lost while a batch was being recorded", { cause });
    this.name = "LostConnection";
  }
}

// Prepared once per connection, where a pooler allows it: planning would cost as much as a small batch.
const many = { name: "record", text: recordMany(false) };
const manySkipLocked = { name: "record-skip-locked", text: recordMany(true) };
const recordOneStreamer = { name: "record-one-streamer", text: recordOne(false) };

const recordOnNode = callsOf(recordOneOnNode(false));

/** Records a batch, of one streamer where rows are on nodes. Throws the error of the database, or LostConnection when the outcome is unknown. */
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
const recordStatement = placed({
  onServer: async (_, donations: readonly NewDonation[], skipLocked: boolean): Promise<QueryConfig> => {
    if (skipLocked) return { ...manySkipLocked, values: toArrays(donations) };
    const isOfOne = donations.every(({ streamerId }) => streamerId === donations[0]?.streamerId);
    return isOfOne ? { ...recordOneStreamer, values: valuesOfOne(donations) } : { ...many, values: toArrays(donations) };
  },
  onNodes: (pool, donations: readonly NewDonation[], _skipLocked: boolean) => recordOnNode(pool, valuesOfOne(donations)),
});

/** Of donations of one streamer. */
export function valuesOfOne(donations: readonly NewDonation[]): unknown[] {
  return [donations[0]?.streamerId, ...toArrays(donations).slice(1)];
}

/** An SQLSTATE below the connection level means that the server answered: the statement was rolled back. */
function isStatementError(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return typeof code === "string" && /^(?=.*[0-9])[0-9A-Z]{5}$/.test(code) && !/^(08|57P)/.test(code);
}
