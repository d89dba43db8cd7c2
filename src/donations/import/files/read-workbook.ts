// Reads an XLSX workbook (ECMA-376, part 1) in constant memory: yauzl finds its parts in the ZIP file, saxes reads their XML as it is inflated.
// Texts that a workbook keeps in one table for all sheets are in memory while it is read.

import { openPackage } from "./package.ts";
import { readRows } from "./read-sheet.ts";
import type { TableRow, TableRows } from "./table.ts";
import { readWorkbookParts, type Sheet } from "./workbook-parts.ts";

/** `hasChoice`: a sheet was chosen by its name, so that nobody needs to see what the others have. */
export type WorkbookOptions = Readonly<{ maxInflatedBytes: number; hasChoice: boolean }>;

/** `rows`: the first ones that are not empty, of a sheet that can be seen. */
export type SheetHead = Readonly<{ name: string; isHidden: boolean; rows: readonly TableRow[] }>;

export type OpenWorkbook = Readonly<{
  date1904: boolean;
  /** In the order of the tabs. */
  sheets: readonly SheetHead[];
  /** The rows of these sheets, by their places among all of them. The first row of every further one is its header and is left out. */
  rowsOf: (places: readonly number[]) => TableRows;
}>;

/** A header stands below a few rows of titles at most. */
const headRows = 25;

/** Throws an Error for a file that is no workbook. It stays open until its rows were read. */
export async function readWorkbook(file: string, { maxInflatedBytes, hasChoice }: WorkbookOptions): Promise<OpenWorkbook> {
  const parts = await openPackage(file, maxInflatedBytes);
  try {
    const workbook = await readWorkbookParts(parts);
    const rowsIn = ({ path }: Sheet, number: number) => readRows(parts.read(path), number, workbook);
    const sheets: SheetHead[] = [];
    for (const sheet of workbook.sheets) {
      const { name, isHidden } = sheet;
      sheets.push({ name, isHidden, rows: hasChoice || isHidden ? [] : await firstOf(rowsIn(sheet, 1)) });
    }
    const rowsOf = async function* (places: readonly number[]): TableRows {
      try {
        for (const [index, place] of places.entries()) yield* withoutFirst(rowsIn(workbook.sheets[place] as Sheet, index + 1), index > 0);
      } finally {
        parts.close();
      }
    };
    return { date1904: workbook.date1904, sheets, rowsOf };
  } catch (error) {
    parts.close();
    throw error;
  }
}

async function firstOf(all: TableRows): Promise<TableRow[]> {
  const rows: TableRow[] = [];
  for await (const row of all) if (rows.push(row) === headRows) break;
  return rows;
}

async function* withoutFirst(rows: TableRows, isHeader: boolean): TableRows {
  let isLeftOut = isHeader;
  for await (const row of rows) {
    if (!isLeftOut) yield row;
    isLeftOut = false;
  }
}
