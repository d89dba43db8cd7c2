// A migration runs while servers of the version before record donations: it must hold none of them up, and say which versions it suits.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../database.ts";
import { copyMigrations, removeDataDir, type TemporaryServer, temporaryDirectory, temporaryServer } from "../testing.ts";
import { migrate, migrationsDirectory, readMigrations, runFiles } from "./migrate.ts";
import { lockFaults, statementFaults } from "./testing-migration-locks.ts";

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
