// A migration runs while servers of the version before record donations: it must hold none of them up, and say which versions it suits.

import { cp } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../database.ts";
import { removeDataDir, type TemporaryServer, temporaryDirectory, temporaryServer } from "../testing.ts";
import { migrate, migrationsDirectory } from "./migrate.ts";
import { listMigrations, loadMigration, numberOf, readMigration } from "./migration-files.ts";
import { readHead } from "./migration-head.ts";
import { lockFaults } from "./testing-migration-locks.ts";

/** The migrations before had been run by everybody when these rules were made. */
const first = "0021";

const later = (await listMigrations(migrationsDirectory)).filter((name) => numberOf(name) >= first);

let server: TemporaryServer;
let database: Database;
let directory: string;

beforeAll(async () => {
  server = await temporaryServer();
  database = await server.freshDatabase();
  directory = await temporaryDirectory();
  await addMigrations((number) => number < first);
});

afterAll(async () => {
  await database?.close();
  await removeDataDir(directory);
  await server?.remove();
});

test.each(later)("migration %s keeps no writer waiting for as long as a table is large", async (name) => {
  await addMigrations((number) => number < numberOf(name));
  const text = await readMigration(migrationsDirectory, name);
  const { transaction } = readHead(text);
  const migration = await loadMigration(migrationsDirectory, name);
  const small = [...text.matchAll(/^(?:--|\/\/) short table: (\w+)/gm)].map(([, table = ""]) => table);
  if (transaction) expect(await lockFaults(database.knex, async (knex) => migration.up(knex), small)).toEqual([]);
  else expect(text).toMatch(/\b(concurrently|validate constraint)\b/i);
});

test.each(later)("migration %s says since which migration programs run on its schema", async (name) => {
  expect(readHead(await readMigration(migrationsDirectory, name)).compatibleSince, 'add a line "-- compatible since 0020"').not.toBeNull();
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
  ])("%s on a large table is refused", async (_, sql, fault) => {
    expect(await lockFaults(database.knex, (knex) => knex.raw(sql))).toEqual([expect.stringContaining(fault)]);
  });

  test.each([
    ["a column", "alter table donations add column note text"],
    ["a column with a constant default", "alter table donations add column note text not null default ''"],
    ["a constraint that is not valid yet", "alter table donations add constraint few check (amount < 5e6) not valid"],
    ["a table that refers to another", "create table notes (streamer_id uuid references streamers, note text)"],
    ["an index on a new table", "create table notes (note text); create index on notes (note)"],
  ])("%s is accepted", async (_, sql) => {
    expect(await lockFaults(database.knex, (knex) => knex.raw(sql))).toEqual([]);
  });

  test("an index on a table that the migration names as short is accepted", async () => {
    expect(await lockFaults(database.knex, (knex) => knex.raw("create index on api_keys (created_at)"), ["api_keys"])).toEqual([]);
  });
});

async function addMigrations(chosen: (number: string) => boolean): Promise<void> {
  const names = (await listMigrations(migrationsDirectory)).filter((name) => chosen(numberOf(name)));
  const isChosen = (file: string): boolean => !/\d{4}_\w+\.(sql|ts)$/.test(file) || names.some((name) => file.includes(name));
  await cp(migrationsDirectory, directory, { recursive: true, filter: isChosen });
  await migrate(database, directory);
}
