// Judges whether a migration would hold up a server that records donations meanwhile, by the locks and scans of its transaction.

import type { Knex } from "knex";

/** `scans`: how often the session has read it whole since it told the database's statistics. */
type Table = { oid: number; name: string; file: number; scans: number };

/** Locks that others wait for who write (or, the last, also read). */
const blocking = ["ShareLock", "ShareRowExclusiveLock", "ExclusiveLock", "AccessExclusiveLock"];

/**
 * Runs `up` in a transaction that is rolled back. Returns what would keep others waiting for as long as a table is large, in words; empty
 * when nothing would. A short lock that needs no look at the rows is no fault. `small`: tables of few rows, which may be read.
 */
export async function lockFaults(knex: Knex, up: (knex: Knex) => Promise<unknown>, small: readonly string[] = []): Promise<string[]> {
  const transaction = await knex.transaction();
  try {
    const before = (await readTables(transaction)).filter(({ name }) => !small.includes(name));
    await up(transaction);
    const after = new Map((await readTables(transaction)).map((table) => [table.oid, table]));
    const locks = await readLocks(transaction);
    return before.flatMap((table) => faultOf(table, after.get(table.oid) ?? table, locks.get(table.oid) ?? []) ?? []);
  } finally {
    await transaction.rollback();
  }
}

function faultOf(before: Table, after: Table, modes: readonly string[]): string | null {
  const { name } = before;
  if (after.file !== before.file) return `${name} is rewritten while everybody waits`;
  if (modes.includes("ShareLock"))
    return `an index of ${name} is built while writers wait: create it concurrently, in a migration without a transaction`;
  if (after.scans > before.scans && modes.some((mode) => blocking.includes(mode)))
    return `${name} is read whole while writers wait: add a constraint as "not valid", and validate it in a later migration`;
  return null;
}

async function readTables(transaction: Knex.Transaction): Promise<Table[]> {
  const { rows } = await transaction.raw(
    `select oid::int, relname as name, relfilenode::int as file, pg_stat_get_xact_numscans(oid)::int as scans
     from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  return rows;
}

/** The modes of this transaction's locks, by table. */
async function readLocks(transaction: Knex.Transaction): Promise<Map<number, string[]>> {
  const { rows } = await transaction.raw(
    `select relation::int as oid, array_agg(mode) as modes from pg_locks
     where pid = pg_backend_pid() and locktype = 'relation' and granted group by relation`,
  );
  return new Map(rows.map(({ oid, modes }: { oid: number; modes: string[] }) => [oid, modes]));
}
