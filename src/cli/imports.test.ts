import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { streamerStore } from "../account/streamers.ts";
import type { Database } from "../db/database.ts";
import { temporaryDirectory, until, useDatabase } from "../db/testing.ts";

vi.setConfig({ testTimeout: 60_000 });

let database: Database;
let directory: string;
let streamerId: string;

useDatabase(async (opened) => {
  database = opened;
  directory = await temporaryDirectory();
  streamerId = (await streamerStore(database.knex).create("importing")).id;
});

test("an import that is killed in the middle and repeated records every donation once, and an undo voids them all", async () => {
  const rows = 4_000;
  const file = await fileOf("lines.ndjson", rows);
  const first = cli("donations", "import", file, "--streamer", "importing");
  await until(async () => (await recorded()) > 500);
  first.kill("SIGKILL");
  await once(first, "exit");
  const before = await recorded();
  expect(before).toBeLessThan(rows);
  const importId = crypto.randomUUID();
  const result = await output(cli("donations", "import", file, "--streamer", "importing", "--import-id", importId));
  expect(result).toEqual({ importId, rows, recorded: rows - before, recordedBefore: before, voided: 0, faulty: 0 });
  expect(await recorded()).toBe(rows);
  const undone = await output(cli("donations", "undo-import", importId, "--streamer", "importing"));
  expect(undone).toEqual({ importId, voided: rows - before });
  expect(await recorded()).toBe(before);
});

test("a dry run names every fault with its row and records nothing", async () => {
  const before = await recorded();
  const file = join(directory, "tips.csv");
  await writeFile(file, 'Paid by,Amount,Date\nBob,20,2024-11-20 19:30:00\n,0,11/12/2024\n\nEve,"฿1,234.50",1700000000\n');
  const child = cli("donations", "import", file, "--streamer", "importing", "--dry-run", "--map", "Paid by=donatorName");
  const faults = text(child.stderr as NodeJS.ReadableStream);
  expect(await output(child)).toMatchObject({ dryRun: true, rows: 3, recorded: 2, faulty: 1 });
  expect((await faults).trim()).toMatch(
    /^row 3: donatorName is required; amount must be greater than 0; createdAt must have the documented form/,
  );
  expect(await recorded()).toBe(before);
});

async function fileOf(name: string, rows: number): Promise<string> {
  const lines = Array.from({ length: rows }, (_, index) =>
    JSON.stringify({ donatorName: "a", amount: 1 + index, idempotencyKey: `key-${index}`, createdAt: "2024-11-20T19:30Z" }),
  );
  const file = join(directory, name);
  await writeFile(file, lines.join("\n"));
  return file;
}

/** Donations of the streamer that are not void. */
async function recorded(): Promise<number> {
  const { rows } = await database.knex.raw("select count(*)::int as n from donations where streamer_id = ? and voided_at is null", [
    streamerId,
  ]);
  return rows[0].n;
}

function cli(...args: string[]): ChildProcess {
  return spawn(process.execPath, ["src/cli.ts", ...args], { env: { PATH: process.env.PATH, DATABASE_URL: database.url } });
}

async function output(child: ChildProcess): Promise<unknown> {
  return JSON.parse(await text(child.stdout as NodeJS.ReadableStream));
}
