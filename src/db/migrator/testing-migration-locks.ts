// Judges whether a migration would hold up a server that records donations meanwhile, by the locks and scans of its transaction.

import type { Knex } from "knex";
import { runFiles, type SqlFile } from "./migrate.ts";

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
    // A statement that changes rows reads the table then, which is counted even where the table is empty.
    await transaction.raw("set local enable_indexscan = off; set local enable_indexonlyscan = off; set local enable_bitmapscan = off");
    const before = (await readTables(transaction)).filter(({ name }) => !small.includes(name));
    await up(transaction);
    const after = new Map((await readTables(transaction)).map((table) => [table.oid, table]));
    const locks = await readLocks(transaction);
    return before.flatMap((table) => faultOf(table, after.get(table.oid) ?? table, locks.get(table.oid) ?? []) ?? []);
  } finally {
    await transaction.rollback();
  }
}

/** Statements that PostgreSQL refuses in a transaction, and that let others write meanwhile. */
const concurrent = /^(create (unique )?index|drop index|reindex (\([^)]*\) )?(index|table|schema)) concurrently /i;

/**
 * Runs each file of a migration without a transaction, for good, and returns the faults of all: each commits by itself, so each is judged
 * by itself, as `lockFaults` does.
 */
export async function statementFaults(knex: Knex, files: readonly SqlFile[], small: readonly string[] = []): Promise<string[]> {
  const faults: string[] = [];
  for (const file of files) {
    const run = (on: Knex) => runFiles(on, [file]);
    if (!concurrent.test(withoutComments(file.text))) faults.push(...(await lockFaults(knex, run, small)));
    await run(knex);
  }
  return faults;
}

const withoutComments = (statement: string): string =>
  statement
    .replaceAll(/--[^\n]*|\/\*[\s\S]*?\*\//g, " ")
    .trim()
    .replaceAll(/\s+/g, " ");

function faultOf(before: Table, after: Table, modes: readonly string[]): string | null {
  const { name } = before;
  if (after.file !== before.file) return `${name} is rewritten while everybody waits`;
  if (modes.includes("ShareLock"))
    return `an index of ${name} is built while writers wait: create it concurrently, in a migration without a transaction`;
  if (after.scans > before.scans && modes.some((mode) => blocking.includes(mode)))
    return `${name} is read whole while writers wait: add a constraint as "not valid", and validate it in a later migration`;
  if (after.scans > before.scans && modes.includes("RowExclusiveLock"))
    return `rows of ${name} are changed, and locked until the migration commits: leave that to a worker or a command`;
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
