import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../db/testing.ts";
import { loadContract } from "../../../http/contract/contract.ts";
import { Problem } from "../../../http/problem.ts";
import { keyReused } from "../../record/attempt.ts";
import { checkImported } from "../outcomes.ts";
import { type Counts, dryRunImporter, type FileImportDeps, type FileOutcome, importFile, noCounts } from "./import-file.ts";
import { type FileItem, openFile } from "./open-file.ts";
import { type Cell, noChoices } from "./table.ts";
import { donationsIn } from "./testing.ts";

const checkItem = checkImported((await loadContract()).checkerOf);

/** Checks rows of a file without recording them: the counts, and the faults. */
async function check(header: string[], rows: (Cell | undefined)[][], changes: Partial<FileImportDeps> = {}) {
  const donations = await donationsIn([header, ...rows]);
  async function* items() {
    for (const [index, donation] of donations.entries()) yield { place: `row ${index + 2}`, donation };
  }
  return checkItems(items(), changes);
}

async function checkItems(items: AsyncIterable<FileItem>, changes: Partial<FileImportDeps> = {}) {
  const faults: string[] = [];
  const counts = await importFile(items, {
    checkItem,
    importer: dryRunImporter(async () => []),
    importId: "i",
    by: { streamerId: "s", applicationId: "a" },
    findKnown: async () => new Set(),
    onFault: (place, fault) => faults.push(`${place}: ${fault}`),
    ...changes,
  });
  return { counts, faults };
}

test("an empty cell in a column of times is a fault; a file without such a column has none", async () => {
  const timed = await check(["ชื่อ", "ยอด", "เวลา"], [["มาลี", "20", undefined]]);
  expect(timed.faults).toEqual(["row 2: createdAt must be a time such as 2026-11-20 19:30"]);
  expect((await check(["ชื่อ", "ยอด"], [["มาลี", "20"]])).faults).toEqual([]);
});

test("a fault quotes the cell that it is about", async () => {
  const { faults } = await check(["ชื่อ", "ยอด", "เวลา"], [["มาลี", "5o", "2025-02-30"]]);
  expect(faults).toEqual(["row 2: amount “5o” must be a number; createdAt “2025-02-30” must be a time such as 2026-11-20 19:30"]);
});

test("a source or a channel that is none of the contract's is a fault of its row, beside its others", async () => {
  const header = ["Donator", "Amount", "Channel", "Source", "Donation id", "Idempotency key", "Received at"];
  const rows = [
    ["Malee", "20", "promptpay", "native"],
    ["Malee", "0", "PayPal", "native"],
    ["Malee", "20", "promptpay", "Native"],
    ["Malee", "20", undefined, undefined],
  ];
  const { counts, faults } = await check(header, rows);
  expect(faults).toEqual([
    "row 3: amount “0” must be greater than 0; channel “PayPal” must be one of: external, promptpay, truemoney, bank_transfer, card, other",
    "row 4: source “Native” must be one of: external, native, test",
  ]);
  expect(counts).toMatchObject({ recorded: 2, faulty: 2 });
});

test("a line of JSON that is not an object is a fault of this line, and the lines behind it are read", async () => {
  const file = join(await temporaryDirectory(), "lines.ndjson");
  await writeFile(file, ["null", "5", '"x"', "[]", "true", '{"donatorName": "มาลี", "amount": 20, "idempotencyKey": "1"}'].join("\n"));
  const { counts, faults } = await checkItems(openFile(file, { timezone: "UTC", columns: new Map(), choices: noChoices }));
  expect(faults).toEqual([1, 2, 3, 4, 5].map((line) => `line ${line}: is not an object`));
  expect(counts).toMatchObject({ rows: 6, recorded: 1, faulty: 5 });
});

test("the empty lines of a file are one fault with their number, named at the first", async () => {
  const file = join(await temporaryDirectory(), "lines.ndjson");
  await writeFile(file, ["", '{"donatorName": "มาลี", "amount": 20, "idempotencyKey": "1"}', " ", "\r", ""].join("\n"));
  const { counts, faults } = await checkItems(openFile(file, { timezone: "UTC", columns: new Map(), choices: noChoices }));
  expect(faults).toEqual(["line 1: 3 lines are empty and left out."]);
  expect(counts).toMatchObject({ recorded: 1, faulty: 1 });
});

test("an import that stops has counted what was recorded behind the donation that stopped it", async () => {
  const created = { status: "fulfilled", value: { created: true } } as const;
  const refused = (reason: Error): FileOutcome => ({ status: "rejected", reason });
  const stop = new Problem("unavailable", "The database can't be reached; nothing was recorded.");
  const record = async () => [created, refused(stop), created, refused(keyReused()), refused(new Problem("unavailable", "later"))];
  let counts: Readonly<Counts> | null = null;
  const onProgress = (now: Readonly<Counts>) => {
    counts = { ...now };
  };
  const rows = Array.from({ length: 5 }, () => ["มาลี", "20"]);
  await expect(check(["ชื่อ", "ยอด"], rows, { importer: { record }, onProgress })).rejects.toBe(stop);
  expect(counts).toEqual({ ...noCounts, rows: 5, recorded: 2, faulty: 1 });
});

test("rows that are dated more than a day ahead are recorded, counted and named", async () => {
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const ahead: string[] = [];
  const rows = [23, 25, 48].map((hours) => ["มาลี", "20", inHours(hours)]);
  const { counts } = await check(["ชื่อ", "ยอด", "เวลา"], rows, { onAhead: (place) => ahead.push(place) });
  expect([counts, ahead]).toEqual([{ ...noCounts, rows: 3, recorded: 3, ahead: 2 }, ["row 3", "row 4"]]);
});

test("rows that were not paid are counted apart, also with other faults", async () => {
  const { counts, faults } = await check(
    ["ชื่อ", "ยอด", "สถานะ"],
    [
      ["มาลี", "20", "สำเร็จ"],
      ["มานี", "-5", "Refunded"],
    ],
  );
  expect([counts, faults]).toEqual([{ ...noCounts, rows: 2, recorded: 1, unpaid: 1 }, []]);
});

test("a number that is no time is a fault of its row, and the rows behind it are read", async () => {
  const rows = [1_763_640_000_000_000, 1_763_640_000].map((time) => ["มาลี", 20, time]);
  const { counts, faults } = await check(["ชื่อ", "ยอด", "เวลา"], rows);
  expect(faults).toEqual(["row 2: createdAt “1763640000000000” must be a time such as 2026-11-20 19:30"]);
  expect(counts).toMatchObject({ recorded: 1, faulty: 1 });
});

test.each([
  ["เวลา (Asia/Tokyo)", "2026-11-20T10:30:00.000Z"],
  ["Date (UTC)", "2026-11-20T19:30:00.000Z"],
  ["date_utc", "2026-11-20T19:30:00.000Z"],
  ["dateUtc (yyyy-mm-dd)", "2026-11-20T19:30:00.000Z"],
  ["Date (dd/mm/yyyy)", "2026-11-20T12:30:00.000Z"],
  ["Time (local)", "2026-11-20T12:30:00.000Z"],
])("a column named %s has times of the zone that its name says, or of the default zone where it says none", async (title, createdAt) => {
  const [donation] = await donationsIn([
    ["Name", "Amount", title],
    ["Malee", "20", "2026-11-20 19:30"],
  ]);
  expect(donation?.value.createdAt).toBe(createdAt);
});
