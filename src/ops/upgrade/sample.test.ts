// The machinery of upgrades, with samples of a later version's migrations: one expands the schema, one builds an index, one contracts it.

import { cp, glob } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { Database } from "../../db/database.ts";
import { migrate } from "../../db/migrator/migrate.ts";
import { copyMigrations, removeDataDir, type TemporaryServer, temporaryDirectory, temporaryServer } from "../../db/testing.ts";
import { keys } from "./questions.ts";
import released from "./released.json" with { type: "json" };
import { answersOf, earlierDatabase, whileServing } from "./upgrade.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const samples = join(import.meta.dirname, "sample");
const contracts = "9003_no_void_notes";
const migration = Object.keys(released.migrations).at(-1) as string;

let server: TemporaryServer;
let database: Database;
let [expanded, contracted]: string[] = [];

beforeAll(async () => {
  server = await temporaryServer();
  database = await earlierDatabase(server, { migration });
  expanded = await laterMigrations((name) => name < contracts);
  contracted = await laterMigrations(() => true);
});

afterAll(async () => {
  await database?.close();
  for (const folder of [expanded, contracted]) if (folder) await removeDataDir(folder);
  await server?.remove();
});

test("this version starts on the schema that a later one has expanded, answers as before, and does not start once it is contracted", async () => {
  await migrate(database, expanded);
  const { rows: indexes } = await database.knex.raw("select indisvalid from pg_index where indexrelid = 'donations_void_remark'::regclass");
  expect(indexes).toEqual([{ indisvalid: true }]);
  expect(await whileServing(database.url, answersOf)).toMatchObject(released.answers);
  await migrate(database, contracted);
  const before = await applied();
  await expect(whileServing(database.url, answersOf)).rejects.toThrow(contracts);
  expect(await applied()).toEqual(before);
});

test("this version goes on while a later one migrates its database, and what it writes afterwards is in the new column, too", async () => {
  const other = await earlierDatabase(server, { migration });
  try {
    const late = await whileServing(other.url, async (address) => {
      const migrating = { done: false };
      const end = migrate(other, expanded).finally(() => void (migrating.done = true));
      let sequence = 0;
      while (!migrating.done) expect(await voidDonation(address, ++sequence)).toBe(200);
      await end;
      expect(await voidDonation(address, ++sequence)).toBe(200);
      return sequence;
    });
    const { rows } = await other.knex.raw(
      "select void_note as note, void_remark as remark from donations where sequence = ? and source <> 'test'",
      [late],
    );
    expect(rows).toContainEqual({ note: `note ${late}`, remark: `note ${late}` });
  } finally {
    await other.close();
  }
});

/** The program's migrations and those samples, in a folder. */
async function laterMigrations(isChosen: (name: string) => boolean): Promise<string> {
  const folder = await temporaryDirectory();
  await copyMigrations(folder, () => true);
  for await (const name of glob("*", { cwd: samples }))
    if (isChosen(name)) await cp(join(samples, name), join(folder, name), { recursive: true });
  return folder;
}

/** Resolves to the status of the answer. */
async function voidDonation(address: string, sequence: number): Promise<number> {
  const id = `01700000-0000-7000-8000-${sequence.toString(16).padStart(12, "0")}`;
  const reply = await fetch(`${address}/api/v1/donations/${id}/void`, {
    method: "POST",
    headers: { Authorization: `Bearer ${keys.api}`, "Content-Type": "application/json" },
    body: JSON.stringify({ reason: "chargeback", note: `note ${sequence}` }),
  });
  await reply.arrayBuffer();
  return reply.status;
}

async function applied(): Promise<unknown[]> {
  return database.knex("schema_migrations").orderBy("name");
}
