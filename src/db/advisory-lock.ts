// Locks that are named and not of a row.

import type { Knex } from "knex";

/**
 * Waits for other transactions that hold the lock of this name, and holds it until the transaction ends. It locks no row: for what has no row
 * yet, and where recording donations would wait for the row. `lock_timeout` of the transaction ends the wait.
 */
export async function lockByName(transaction: Knex, name: string): Promise<void> {
  await transaction.raw("select pg_advisory_xact_lock(hashtextextended(?, 0))", [name]);
}
