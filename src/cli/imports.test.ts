import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { streamerStore } from "../account/streamers.ts";
import type { Database } from "../db/database.ts";
import { temporaryDirectory, until, useDatabase } from "../db/testing.ts";
import { outputOf, startCli } from "./testing.ts";

vi.setConfig({ testTimeout: 60_000 });

let database: Database;
let directory: string;
let streamerId: string;

const cli = (...args: string[]) => startCli(database, ...args);

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
  await until(isDatabaseIdle); // it may still commit the chunk that was sent last
  const before = await recorded();
  expect(before).toBeLessThan(rows);
  const importId = crypto.randomUUID();
  const result = await outputOf(cli("donations", "import", file, "--streamer", "importing", "--import-id", importId));
  expect(result).toEqual({ importId, rows, recorded: rows - before, recordedBefore: before, voided: 0, unpaid: 0, faulty: 0, ahead: 0 });
  expect(await recorded()).toBe(rows);
  const undone = await outputOf(cli("donations", "undo-import", importId, "--streamer", "importing"));
  expect(undone).toEqual({ importId, voided: rows - before });
  expect(await recorded()).toBe(before);
});

test("an undo of an import that is repeated voids nothing more, and leaves donations alone that the import found recorded", async () => {
  const file = await fileOf("few.ndjson", 3, "few");
  const [first, again] = [crypto.randomUUID(), crypto.randomUUID()];
  for (const id of [first, again]) await outputOf(cli("donations", "import", file, "--streamer", "importing", "--import-id", id));
  const undo = (id: string) => outputOf(cli("donations", "undo-import", id, "--streamer", "importing"));
  expect(await undo(again)).toEqual({ importId: again, voided: 0 });
  expect(await undo(first)).toEqual({ importId: first, voided: 3 });
  expect(await undo(first)).toEqual({ importId: first, voided: 0 });
  const result = await outputOf(cli("donations", "import", file, "--streamer", "importing"));
  expect(result, "the keys are free").toMatchObject({ recorded: 3, recordedBefore: 0 });
});

test("an import that was undone is refused when it is continued, and nothing is recorded", async () => {
  const id = crypto.randomUUID();
  const continued = async (rows: number) =>
    outputOf(cli("donations", "import", await fileOf("undone.ndjson", rows, "undone"), "--streamer", "importing", "--import-id", id));
  await continued(2);
  await outputOf(cli("donations", "undo-import", id, "--streamer", "importing"));
  const before = await recorded();
  expect(await continued(3)).toEqual({ error: `the import "${id}" was undone, and nothing is added to it` });
  expect(await recorded()).toBe(before);
});

test("an undo of an import that the streamer does not have is refused, and voids nothing", async () => {
  const before = await recorded();
  await streamerStore(database.knex).create("another");
  const id = crypto.randomUUID();
  await outputOf(cli("donations", "import", await fileOf("own.ndjson", 2, "own"), "--streamer", "importing", "--import-id", id));
  const none = (streamer: string, importId: string) => ({ error: `${streamer} has no import "${importId}"; see donations imports` });
  for (const [streamer, importId] of [
    ["another", id],
    ["importing", crypto.randomUUID()],
    ["importing", "4711"],
  ] as const)
    expect(await outputOf(cli("donations", "undo-import", importId, "--streamer", streamer))).toEqual(none(streamer, importId));
  expect(await recorded()).toBe(before + 2);
});

test("a dry run names every fault with its row and records nothing", async () => {
  const before = await recorded();
  const file = join(directory, "tips.csv");
  await writeFile(file, 'Paid by,Amount,Date\nBob,20,2024-11-20 19:30:00\n,0,31/11/2024\n\nEve,"฿1,234.50",1700000000\n');
  const child = cli("donations", "import", file, "--streamer", "importing", "--dry-run", "--map", "Paid by=donatorName");
  const faults = text(child.stderr as NodeJS.ReadableStream);
  expect(await outputOf(child)).toMatchObject({ dryRun: true, rows: 3, recorded: 2, faulty: 1 });
  expect((await faults).trim()).toMatch(
    /^row 3: donatorName is required; amount “0” must be greater than 0; createdAt “31\/11\/2024” must be a time such as 2026-11-20 19:30/,
  );
  expect(await recorded()).toBe(before);
});

/** What a dry run prints, and says on stderr. */
async function dryRun(content: string | Buffer, ...options: string[]): Promise<{ printed: unknown; said: string }> {
  const file = join(directory, `${crypto.randomUUID()}.csv`);
  await writeFile(file, content);
  const child = cli("donations", "import", file, "--streamer", "importing", "--dry-run", ...options);
  const said = text(child.stderr as NodeJS.ReadableStream);
  return { printed: await outputOf(child), said: await said };
}

test("a dry run says how the file is read, each with the option that changes it", async () => {
  const thai = Buffer.from([0xca, 0xc1, 0xaa, 0xd2, 0xc2]); // สมชาย in windows-874
  const file = Buffer.concat([Buffer.from("Name;Amount;Date\n"), thai, Buffer.from(";12,50;25/12/2025 20:15\n")]);
  const { printed, said } = await dryRun(file);
  expect(printed).toMatchObject({
    ...{ dryRun: true, recorded: 1, faulty: 0 },
    reading: {
      ...{ encoding: "windows-874", separator: "semicolon", sheet: null, sheets: [], headerRow: 1 },
      ...{ columns: { Name: "donatorName", Amount: "amount", Date: "createdAt" }, timezone: "Asia/Bangkok" },
      ...{ dateOrder: "day-first", decimal: "comma" },
    },
  });
  for (const line of [
    "encoding: windows-874 (--encoding)",
    "separator: semicolon (--separator)",
    "order of dates: day-first (--date-order)",
  ])
    expect(said).toContain(line);
  const options = ["--encoding", "windows-1252", "--separator", "semicolon", "--decimal", "comma", "--date-order", "day-first"];
  expect((await dryRun(file, ...options, "--timezone", "UTC")).printed).toMatchObject({
    reading: { encoding: "windows-1252", timezone: "UTC", dateOrder: "day-first" },
  });
});

test.each([
  ["dates", "Name,Amount,Date\nAnan,10,03/04/2026\n", ["--date-order", "month-first"], "--date-order day-first|month-first"],
  ["amounts", 'Name,Amount,Date\nAnan,"1,500",2026-11-20\n', ["--decimal", "comma"], "--decimal comma|point"],
])("an import of a file whose %s have two meanings is refused with the option to give", async (_, file, options, named) => {
  expect((await dryRun(file)).printed).toEqual({ error: expect.stringContaining(named) });
  expect((await dryRun(file, ...options)).printed).toMatchObject({ recorded: 1, faulty: 0 });
});

test("rows that were not paid are left out of an import unless --with-unpaid asks for them", async () => {
  const file = "Name,Amount,Date,Status\nAnan,10,2026-11-20,Completed\nBo,20,2026-11-20,Refunded\n";
  expect((await dryRun(file)).printed).toMatchObject({ recorded: 1, unpaid: 1 });
  expect((await dryRun(file, "--with-unpaid")).printed).toMatchObject({ recorded: 2, unpaid: 0 });
});

test.each([
  ["encoding", "latin1", "--encoding must be one of utf-8, utf-16le, utf-16be, windows-874, windows-1252"],
  ["separator", ",", "--separator must be one of comma, semicolon, tab, bar"],
  ["date-order", "dmy", "--date-order must be one of day-first, month-first"],
  ["decimal", ",", "--decimal must be one of comma, point"],
])("a wrong --%s of an import is refused with the words that are allowed", async (option, word, error) => {
  expect((await dryRun("Name,Amount\n", `--${option}`, word)).printed).toEqual({ error: `${error}, not "${word}"` });
});

async function fileOf(name: string, rows: number, key = "key"): Promise<string> {
  const lines = Array.from({ length: rows }, (_, index) =>
    JSON.stringify({ donatorName: "a", amount: 1 + index, idempotencyKey: `${key}-${index}`, createdAt: "2024-11-20T19:30Z" }),
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

/** Whether no statement of another connection is under way: a killed client's statement goes on until its commit. */
async function isDatabaseIdle(): Promise<boolean> {
  const { rows } = await database.knex.raw(
    "select 1 from pg_stat_activity where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()",
  );
  return rows.length === 0;
}
