// The statement that records a batch of donations: one connection, one round trip, one transaction. Where Citus distributes the database, it
// runs as a function on the node of the streamer.

import { readFileSync } from "node:fs";
import type { Knex } from "knex";
import type { Client, QueryConfig } from "pg";
import { isDistributed } from "../../db/citus/distributed.ts";
import { callsOf, type NodeFunction, nodeFunction } from "../../db/citus/node-functions.ts";
import { parametersOfOneStreamer, toArrays, withColumns } from "../columns.ts";
import type { NewDonation } from "../donation.ts";

/** A batch waits for the streamer's lock no longer than this. The time-out of the pool is one of the coordinator. */
const lockTimeoutMs = 250;

/** `text`: record-one-streamer.sql, with the parts of an import or without. Throws an Error when it has other parts. */
export function functionOf(text: string, parameters: readonly string[]): NodeFunction {
  const sql = text.replace(/^\s*--.*$/gm, "");
  const parts = [...sql.matchAll(/^(?:with |, )?(\w+) as \(\n([\s\S]*?)\n\)/gm)].map(([, name, part]) => ({ name, part: part as string }));
  const [counted, ...others] = parts.map(({ part }) => part);
  const noRow = sql.includes("not exists (select from counted)") ? "return query select null::uuid, null::bigint, null::bigint;" : "";
  const answer = /^select id, sequence.* from stored/m.exec(sql)?.[0];
  if (parts[0]?.name !== "counted" || !answer)
    throw new Error("record-one-streamer.sql has other parts than counted at its beginning and the select from stored at its end");
  const body = `
#variable_conflict use_column
declare
  clock timestamptz := clock_timestamp();
  row_before record;
  secret_of_keys bytea;
begin
${counted?.replaceAll("clock_timestamp()", "clock")} into row_before;
if not found then
  ${noRow}
  return;
end if;
if row_before.has_erasures then
  select secret from erased_key_secret into secret_of_keys;
end if;
${[...others, `return query ${answer}`].map(onNode).join(";\n")};
end`;
  const returns = "id uuid, sequence bigint, received_at bigint";
  return nodeFunction("record", { parameters, returns, settings: { lock_timeout: lockTimeoutMs }, body });
}

/** The sequences after the counter are this batch's alone, because the row of the counter is locked. */
function onNode(part: string): string {
  return part
    .replace(
      "from counted",
      () =>
        `from (select id as streamer_id, row_before.sequence_before, row_before.received_at, row_before.has_erasures
          from streamers where id = $1) as counted`,
    )
    .replace(
      "from stored",
      () =>
        `from (select streamer_id, id, sequence, skip_alert, received_at from donations where streamer_id = $1
          and sequence > row_before.sequence_before and sequence <= row_before.sequence_before + cardinality($2)) as stored`,
    )
    .replace(/\n\s*returning .*$/m, "")
    .replace("(select secret from erased_key_secret)", "secret_of_keys");
}

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
