// Opens a file to import: CSV and XLSX by their columns, NDJSON with a donation of the contract on each line.

import { createReadStream } from "node:fs";
import { makeYield } from "../../../base/async.ts";
import { type BodyLine, lineReader } from "../../../http/body/body-lines.ts";
import { lineSplitter } from "../../../http/body/line-splitter.ts";
import { maxBodyBytes } from "../../../http/contract/published.ts";
import { noChoices } from "./choices.ts";
import { requireMembers } from "./columns.ts";
import { openTable } from "./open-table.ts";
import { decideReading, type FileReading, type ReadingOptions, refuseQuestions } from "./reading.ts";
import type { Table, TableRow, TableRows } from "./table.ts";
import { external, type FileDonation, rowConverter } from "./to-donations.ts";

/** A row, where it is in its file, and the donation in it; or why it is none. */
export type FileItem = Readonly<{ place: string; donation: FileDonation } | { place: string; fault: string }>;

export type FileOptions = ReadingOptions & Readonly<{ maxInflatedBytes?: number }>;

/**
 * Throws an Error for another kind of file, one that cannot be read, one without the columns of a donation, and one of which the person must
 * say first how it is read. `decided`: how, where that is known already.
 */
export async function* openFile(file: string, options: FileOptions, decided?: FileReading | null): AsyncIterable<FileItem> {
  const reading = decided === undefined ? await readFile(file, options) : decided;
  if (reading === null) return yield* readLines(file);
  requireMembers(reading.columns, Boolean(options.places));
  refuseQuestions(reading);
  const convert = rowConverter(reading, options.choices ?? noChoices);
  for await (const row of rowsOf(file, options, reading)) yield { place: placeOf(row), donation: convert(row) };
}

/** How a file with columns is read; null for one of lines. Throws what reading the file throws. */
export async function readFile(file: string, options: FileOptions): Promise<FileReading | null> {
  const table = await tableOf(file, options);
  return table && decideReading(table, options);
}

/** The rows behind the header. */
export async function* rowsOf(file: string, options: FileOptions, { rowsBefore }: FileReading): TableRows {
  const table = await tableOf(file, options);
  const yieldIfBusy = makeYield();
  let before = 0;
  for await (const row of table?.rows ?? []) {
    await yieldIfBusy();
    before += 1;
    if (before > rowsBefore + 1 && row.cells.some((cell) => cell !== undefined)) yield row;
  }
}

export function placeOf({ sheet, number }: TableRow): string {
  return sheet === 1 ? `row ${number}` : `sheet ${sheet}, row ${number}`;
}

function tableOf(file: string, { choices, maxInflatedBytes }: FileOptions): Promise<Table | null> {
  return openTable(file, choices ?? noChoices, { maxInflatedBytes });
}

async function* readLines(file: string): AsyncIterable<FileItem> {
  const splitter = lineSplitter(maxBodyBytes);
  const reader = lineReader();
  const yieldIfBusy = makeYield();
  for await (const chunk of createReadStream(file))
    for (const raw of splitter.push(chunk)) {
      await yieldIfBusy();
      yield* itemsOfLines(reader.read(raw));
    }
  for (const raw of splitter.end()) yield* itemsOfLines(reader.read(raw));
  yield* itemsOfLines(...reader.emptyLines());
}

function itemsOfLines(...lines: readonly (BodyLine | null)[]): FileItem[] {
  return lines.flatMap((line): FileItem[] => {
    if (line === null) return [];
    const place = `line ${line.index + 1}`;
    if ("problem" in line) return [{ place, fault: line.problem.message }];
    if (!isObject(line.value)) return [{ place, fault: "is not an object" }];
    return [{ place, donation: { value: line.value, ...plain } }];
  });
}

const plain = { faults: {}, origin: external, knownAs: [], isVoided: false, isUnpaid: false };

function isObject(value: unknown): value is FileDonation["value"] {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
