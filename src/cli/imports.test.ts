import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { Database } from "../db/database.ts";
import { temporaryDirectory, until, useDatabase } from "../db/testing.ts";
import { streamerStore } from "../donations/streamers.ts";
import { outputOf, runCommand, startCli } from "./testing.ts";

vi.setConfig({ testTimeout: 60_000 });

let database: Database;
let directory: string;
let streamerId: string;

const cli = (...args: string[]) => startCli(database, ...args);
const run = (...args: string[]) => runCommand(database, ...args);

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
  const result = await run("donations", "import", file, "--streamer", "importing", "--import-id", importId);
  expect(result).toEqual({ importId, rows, recorded: rows - before, recordedBefore: before, voided: 0, unpaid: 0, faulty: 0, ahead: 0 });
  expect(await recorded()).toBe(rows);
  const undone = await run("donations", "undo-import", importId, "--streamer", "importing");
  expect(undone).toEqual({ importId, voided: rows - before });
  expect(await recorded()).toBe(before);
});

test("an undo of an import that is repeated voids nothing more, and leaves donations alone that the import found recorded", async () => {
  const file = await fileOf("few.ndjson", 3, "few");
  const [first, again] = [crypto.randomUUID(), crypto.randomUUID()];
  for (const id of [first, again]) await run("donations", "import", file, "--streamer", "importing", "--import-id", id);
  const undo = (id: string) => run("donations", "undo-import", id, "--streamer", "importing");
  expect(await undo(again)).toEqual({ importId: again, voided: 0 });
  expect(await undo(first)).toEqual({ importId: first, voided: 3 });
  expect(await undo(first)).toEqual({ importId: first, voided: 0 });
  const result = await run("donations", "import", file, "--streamer", "importing");
  expect(result, "the keys are free").toMatchObject({ recorded: 3, recordedBefore: 0 });
});

test("an import that was undone is refused when it is continued, and nothing is recorded", async () => {
  const id = crypto.randomUUID();
  const continued = async (rows: number) =>
    run("donations", "import", await fileOf("undone.ndjson", rows, "undone"), "--streamer", "importing", "--import-id", id);
  await continued(2);
  await run("donations", "undo-import", id, "--streamer", "importing");
  const before = await recorded();
  expect(await continued(3)).toEqual({ error: `the import "${id}" was undone, and nothing is added to it` });
  expect(await recorded()).toBe(before);
});

test("an undo of an import that the streamer does not have is refused, and voids nothing", async () => {
  const before = await recorded();
  await streamerStore(database.knex).create("another");
  const id = crypto.randomUUID();
  await run("donations", "import", await fileOf("own.ndjson", 2, "own"), "--streamer", "importing", "--import-id", id);
  const none = (streamer: string, importId: string) => ({ error: `${streamer} has no import "${importId}"; see donations imports` });
  for (const [streamer, importId] of [
    ["another", id],
    ["importing", crypto.randomUUID()],
    ["importing", "4711"],
  ] as const)
    expect(await run("donations", "undo-import", importId, "--streamer", streamer)).toEqual(none(streamer, importId));
  expect(await recorded()).toBe(before + 2);
});

test("a dry run names every fault with its row and records nothing", async () => {
  const before = await recorded();
  const file = join(directory, "tips.csv");
  await writeFile(file, 'Paid by,Amount,Date\nBob,20,2024-11-20 19:30:00\n,0,31/11/2024\n\nEve,"฿1,234.50",1700000000\n');
  const child = cli("donations", "import", file, "--streamer", "importing", "--dry-run", "--map", "Paid by=donatorName");
  const said = allOf(child);
  expect(await outputOf(child)).toMatchObject({ dryRun: true, rows: 3, recorded: 2, faulty: 1 });
  expect(said()).toMatch(
    /^row 3: donatorName is required; amount “0” must be greater than 0; createdAt “31\/11\/2024” must be a time such as 2026-11-20 19:30/m,
  );
  expect(await recorded()).toBe(before);
});

test("a dry run says how the file is read, and the choices of the command line count more than what the file shows", async () => {
  const thai = Buffer.from([0xca, 0xc1, 0xaa, 0xd2, 0xc2]); // สมชาย in windows-874
  const file = join(directory, "thai.csv");
  await writeFile(
    file,
    Buffer.concat([Buffer.from("Name;Amount;Date;Status\n"), thai, Buffer.from(";12,50;3/4/2026;Completed\nB;1,5;3/4/2026;Refunded\n")]),
  );
  const dryRun = (...options: string[]) => cli("donations", "import", file, "--streamer", "importing", "--dry-run", ...options);
  const asked = dryRun();
  const said = allOf(asked);
  expect(await outputOf(asked)).toEqual({ error: expect.stringContaining("--date-order day-first|month-first") });
  for (const line of ["encoding: windows-874 (--encoding)", "separator: semicolon (--separator)", "order of dates: ? (--date-order)"])
    expect(said()).toContain(line);
  const found = { sheet: null, sheets: [], headerRow: 1, decimal: "comma", separator: "semicolon" };
  expect(
    await outputOf(dryRun("--date-order", "month-first", "--encoding", "windows-1252", "--timezone", "UTC", "--with-unpaid")),
  ).toMatchObject({
    ...{ dryRun: true, recorded: 2, unpaid: 0, faulty: 0 },
    reading: { ...found, encoding: "windows-1252", dateOrder: "month-first", timezone: "UTC" },
  });
});

/** What a command says on stderr. */
function allOf({ stderr }: ReturnType<typeof cli>): () => string {
  let said = "";
  stderr?.on("data", (chunk) => (said += chunk));
  return () => said;
}

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
