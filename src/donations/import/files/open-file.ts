// Opens a file to import: CSV and XLSX by their columns, NDJSON with a donation of the contract on each line.

import { createReadStream } from "node:fs";
import { makeYield } from "../../../async/make-yield.ts";
import { type BodyLine, lineReader } from "../../../http/body/body-lines.ts";
import { lineSplitter } from "../../../http/body/line-splitter.ts";
import { maxBodyBytes } from "../../../http/contract/published.ts";
import { type FileChoices, noChoices } from "./choices.ts";
import { type ColumnMap, type FileMember, mapColumns, type Places, placeColumns } from "./columns.ts";
import { openTable } from "./open-table.ts";
import type { TableRows } from "./table.ts";
import { type FileDonation, rowConverter } from "./to-donations.ts";

/** A row, where it is in its file, and the donation in it; or why it is none. */
export type FileItem = Readonly<{ place: string; donation: FileDonation } | { place: string; fault: string }>;

export type FileOptions = Readonly<{
  timezone: string;
  /** Members by the names of their columns. */
  columns: ReadonlyMap<string, FileMember>;
  /** The place of every member among the columns, instead of their names. */
  places?: Readonly<Places> | null;
  /** What the person said of the file; by default, as the file shows it. */
  choices?: FileChoices;
  maxInflatedBytes?: number;
}>;

/** Throws an Error for another kind of file, one that cannot be read, or one without the columns of a donation. */
export async function* openFile(file: string, options: FileOptions): AsyncIterable<FileItem> {
  const table = await openTable(file, options.choices ?? noChoices, { maxInflatedBytes: options.maxInflatedBytes });
  yield* table ? itemsOf(table.rows, options) : readLines(file);
}

async function* itemsOf(rows: TableRows, { timezone, columns, places }: FileOptions): AsyncIterable<FileItem> {
  let map: ColumnMap | null = null;
  let convert: ReturnType<typeof rowConverter> | null = null;
  const yieldIfBusy = makeYield();
  for await (const row of rows) {
    await yieldIfBusy();
    if (map === null || convert === null) {
      map = places ? placeColumns(row.cells, places) : mapColumns(row.cells, columns);
      convert = rowConverter(map, timezone);
    } else if (row.cells.some((cell) => cell !== undefined)) {
      yield { place: row.sheet === 1 ? `row ${row.number}` : `sheet ${row.sheet}, row ${row.number}`, donation: convert(row) };
    }
  }
  if (map === null) throw new Error("the file is empty");
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
    return [{ place, donation: { value: line.value, origin: { source: "external", channel: "external" }, knownAs: [], isVoided: false } }];
  });
}

function isObject(value: unknown): value is FileDonation["value"] {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
