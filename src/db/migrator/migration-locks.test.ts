// A migration runs while servers of the version before record donations: it must hold none of them up, and say which versions it suits.

import type { Knex } from "knex";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../database.ts";
import { copyMigrations, removeDataDir, type TemporaryServer, temporaryDirectory, temporaryServer } from "../testing.ts";
import { migrate, migrationsDirectory, readMigrations, runFiles, type SqlFile } from "./migrate.ts";

const [baseline, ...later] = await readMigrations(migrationsDirectory);

let server: TemporaryServer;
let database: Database;
let directory: string;

beforeAll(async () => {
  server = await temporaryServer();
  database = await server.freshDatabase();
  directory = await temporaryDirectory();
  await addMigrations((name) => name === baseline?.name);
});

afterAll(async () => {
  await database?.close();
  await removeDataDir(directory);
  await server?.remove();
});

test.each(later)("migration $name keeps no writer waiting for as long as a table is large", async ({ name, files, transaction }) => {
  await addMigrations((other) => other < name);
  const small = files.flatMap(({ text }) => [...text.matchAll(/^-- short table: (\w+)/gm)].map(([, table = ""]) => table));
  if (transaction) expect(await lockFaults(database.knex, (knex) => runFiles(knex, files), small)).toEqual([]);
  else await onCopy(async ({ knex }) => expect(await statementFaults(knex, files, small)).toEqual([]));
});

test.each(later)("migration $name says since which migration programs run on its schema", async ({ compatibleSince }) => {
  expect(compatibleSince, 'add a line "-- compatible since 0001"').not.toBeNull();
});

describe("the check of locks", () => {
  test.each([
    ["an index", "create index on donations (amount)", "an index of donations is built"],
    ["a unique constraint", "alter table donations add unique (id, amount)", "an index of donations is built"],
    ["another type", "alter table donations alter column amount type numeric(20, 4)", "donations is rewritten"],
    [
      "a default that differs by row",
      "alter table donations add column random double precision default random()",
      "donations is rewritten",
    ],
    ["a valid constraint", "alter table donations add check (amount < 5e6)", "donations is read whole"],
    ["not null", "alter table donations alter column voided_at set not null", "donations is read whole"],
    ["a change of all rows", "update donations set message = message", "rows of donations are changed"],
    ["a change of the rows that hold counters", "update streamers set last_sequence = last_sequence", "rows of streamers are changed"],
    ["a change of rows that an index finds", "update donations set message = '' where id = uuid_v7()", "rows of donations are changed"],
    ["a deletion", "delete from donations where voided_at is not null", "rows of donations are changed"],
  ])("%s on a large table is refused", async (_, sql, fault) => {
    expect(await lockFaults(database.knex, (knex) => knex.raw(sql))).toEqual([expect.stringContaining(fault)]);
  });

  test.each([
    ["a column", "alter table donations add column note text"],
    ["a column with a constant default", "alter table donations add column note text not null default ''"],
    ["a constraint that is not valid yet", "alter table donations add constraint few check (amount < 5e6) not valid"],
    ["a table that refers to another", "create table notes (streamer_id uuid references streamers, note text)"],
    ["a new table that is filled from a large one", "create table notes as select id, message from donations"],
    ["a new table whose rows are changed", "create table notes (note text); update notes set note = ''"],
    ["an index on a new table", "create table notes (note text); create index on notes (note)"],
  ])("%s is accepted", async (_, sql) => {
    expect(await lockFaults(database.knex, (knex) => knex.raw(sql))).toEqual([]);
  });

  test("an index on a table that the migration names as short is accepted", async () => {
    expect(await lockFaults(database.knex, (knex) => knex.raw("create index on api_keys (created_at)"), ["api_keys"])).toEqual([]);
  });

  test.each([
    [
      "an index that is not built concurrently",
      "create index on donations (amount); -- not concurrently",
      "an index of donations is built",
    ],
    ["a change of all rows", "update donations set message = 'concurrently'", "rows of donations are changed"],
    [
      "a valid constraint",
      "alter table donations add constraint few check (amount < 5e6); -- validate constraint",
      "donations is read whole",
    ],
  ])("%s is refused without a transaction, too", async (_, text, fault) => {
    await onCopy(async ({ knex }) => expect(await statementFaults(knex, filesOf(text))).toEqual([expect.stringContaining(fault)]));
  });

  test("an index that is built concurrently and a constraint that is validated by itself are accepted without a transaction", async () => {
    const statements = [
      "-- an interrupted start leaves it invalid\ndrop index concurrently if exists donations_amount",
      "create index concurrently donations_amount on donations (amount)",
      "alter table donations add constraint few check (amount < 5e6) not valid",
      "alter table donations validate constraint few",
    ];
    await onCopy(async ({ knex }) => expect(await statementFaults(knex, filesOf(...statements))).toEqual([]));
  });
});

const filesOf = (...texts: string[]) => texts.map((text, index) => ({ file: `${index}.sql`, text }));

/** A database with the migrations that have been added so far, for statements that can't be rolled back. */
async function onCopy(work: (copy: Database) => Promise<void>): Promise<void> {
  const copy = await server.freshDatabase();
  try {
    await migrate(copy, directory);
    await work(copy);
  } finally {
    await copy.close();
  }
}

async function addMigrations(isChosen: (name: string) => boolean): Promise<void> {
  await copyMigrations(directory, isChosen);
  await migrate(database, directory);
}

// Judges whether a migration would hold up a server that records donations meanwhile, by the locks and scans of its transaction.

/** `scans`: how often the session has read it whole since it told the database's statistics. */
type Table = { oid: number; name: string; file: number; scans: number };

/** Locks that others wait for who write (or, the last, also read). */
const blocking = ["ShareLock", "ShareRowExclusiveLock", "ExclusiveLock", "AccessExclusiveLock"];

/**
 * Runs `up` in a transaction that is rolled back. Returns what would keep others waiting for as long as a table is large, in words; empty
 * when nothing would. A short lock that needs no look at the rows is no fault. `small`: tables of few rows, which may be read.
 */
async function lockFaults(knex: Knex, up: (knex: Knex) => Promise<unknown>, small: readonly string[] = []): Promise<string[]> {
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
async function statementFaults(knex: Knex, files: readonly SqlFile[], small: readonly string[] = []): Promise<string[]> {
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
