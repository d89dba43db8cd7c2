// A statement that is prepared once per connection: planning costs more than running one that reads a few rows by their keys.

import type { Knex } from "knex";
import type { Client } from "pg";
import { asDatabaseError } from "../telemetry/describe-failure.ts";
import { noteSent } from "./failures.ts";
import { keepsPrepared } from "./session.ts";

/** `name` belongs to one text; placeholders are PostgreSQL's own: $1, $2, … */
type PreparedStatement = Readonly<{ name: string; text: string }>;

/**
 * Of one connection. A plan takes up to 0.2 MB of the database's memory, and lists have hundreds of ways to put their filters together.
 * A connection that has as many is closed; the next one begins anew.
 */
const maxStatements = 100;

/**
 * What PostgreSQL says, before it runs anything, of a statement that was prepared for columns of another type (0A000: a migration ran
 * meanwhile) or that its session no longer has (26000: `discard all`, or a pooler that PREPARED_STATEMENTS=on trusts). It would say so for ever.
 */
const staleStates = new Set(["0A000", "26000"]);

/** Names of statements, by the connection that has prepared them. */
const prepared = new WeakMap<Client, Set<string>>();

/** Runs a prepared statement on a connection of the pool. Rejects with what the database says. */
export async function preparedQuery<Row extends object>(pool: Knex, statement: PreparedStatement, values: unknown[]): Promise<Row[]> {
  const client: Client = await pool.client.acquireConnection();
  const names = prepared.get(client) ?? new Set();
  if (keepsPrepared(client)) prepared.set(client, names.add(statement.name));
  let isStale = false;
  try {
    return (await client.query<Row>({ ...statement, values })).rows;
  } catch (error) {
    isStale = staleStates.has(asDatabaseError(error).code ?? "");
    noteSent(error, "statement");
    if (!isStale) throw error;
    return (await client.query<Row>({ text: statement.text, values })).rows; // not prepared
  } finally {
    if (isStale || names.size >= maxStatements) void closeAndRelease(pool, client);
    else await pool.client.releaseConnection(client);
  }
}

/** Nobody waits for this. The pool replaces a connection that was closed before it was released. */
async function closeAndRelease(pool: Knex, client: Client): Promise<void> {
  await client.end().catch(() => {});
  await pool.client.releaseConnection(client);
}
