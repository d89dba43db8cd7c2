// Reads an XLSX workbook (ECMA-376, part 1) in constant memory.

import { boundedParser, openPackage } from "./package.ts";
import type { Cell, TableRow, TableRows } from "./table.ts";
import { appendText, isTrue, readWorkbookParts, type Sheet, unescapeText, type Workbook } from "./workbook-parts.ts";

/** `hasChoice`: a sheet was chosen by its name, so that nobody needs to see what the others have. */
type WorkbookOptions = Readonly<{ maxInflatedBytes: number; hasChoice: boolean }>;

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

/** Limits of a sheet (ECMA-376 18.3.1.73, 18.3.1.4; Excel's own). Places beyond them would be filled up with empty cells. */
const maxRows = 1_048_576;
const maxColumns = 16_384;
/** Filled cells that a row has from its first column on. A row that is filled to the sheet's last column takes a millisecond. */
const maxFilledColumns = 1_000;

/** Of places of columns that are hidden. A sheet of donations has few columns. */
const maxHidden = 200;

type OpenCell = { row: number; column: number; type: string; style: number; text: string; formula: string | null; hasValue: boolean };
type Values = Readonly<{ value: Cell | undefined; format?: string | undefined }>;

/** The rows that are not empty. Throws an Error for what no sheet has. */
async function* readRows(xml: AsyncIterable<string>, sheet: number, workbook: Workbook): TableRows {
  const rows: TableRow[] = [];
  let [row, column, isHidden] = [0, -1, false];
  let cells: (Cell | undefined)[] = [];
  let formats: (string | undefined)[] = [];
  let open: OpenCell | null = null;
  let sums: number[] = [];
  let [isValue, isReading, isFormula] = [false, false, false];
  const hiddenColumns: (readonly [first: number, last: number])[] = [];
  const parser = boundedParser({
    open: (name, { r, t = "n", s = "0", hidden, min, max }) => {
      if (name === "row") [row, column, isHidden, cells, formats, sums] = [rowOf(r ?? String(row + 1)), -1, isTrue(hidden), [], [], []];
      else if (name === "c") {
        column = r === undefined ? column + 1 : columnOf(r);
        if (column >= maxColumns) throw tooManyColumns(row, maxColumns);
        open = { row, column, type: t, style: Number(s), text: "", formula: null, hasValue: false };
      } else if (name === "col" && isTrue(hidden) && hiddenColumns.length < maxHidden)
        hiddenColumns.push([Number(min) - 1, Number(max) - 1]);
      else if (name === "rPh") isReading = true;
      else if (open && name === "f") [open.formula, isFormula] = ["", true];
      else if (open && (name === "v" || (name === "t" && !isReading))) isValue = open.hasValue = true;
    },
    text: (part) => {
      if (isValue && open) open.text = appendText(open.text, part);
      else if (isFormula && open) open.formula = appendText(open.formula ?? "", part);
    },
    close: (name) => {
      if (name === "v" || name === "t") isValue = false;
      else if (name === "f") isFormula = false;
      else if (name === "rPh") isReading = false;
      else if (name === "c" && open) {
        const { value, format } = readCell(open, workbook);
        if (value !== undefined && open.column >= maxFilledColumns) throw tooManyColumns(row, maxFilledColumns);
        if (value !== undefined) cells[open.column] = value; // a cell that has only a format may stand far to the right
        if (format !== undefined) formats[open.column] = format;
        if (isSum(open.formula ?? "")) sums.push(open.column);
        open = null;
      } else if (name === "row" && cells.length > 0)
        rows.push({
          ...{ number: row, sheet, cells },
          ...(formats.length > 0 && { formats }),
          ...(sums.length > 0 && { sums }),
          ...(isHidden && { isHidden }),
          ...(hiddenColumns.length > 0 && { hiddenColumns }),
        });
    },
  });
  for await (const chunk of xml) {
    parser.write(chunk);
    yield* rows.splice(0);
  }
  parser.close();
}

function tooManyColumns(row: number, max: number): Error {
  return new Error(`row ${row} has more than ${max.toLocaleString("en")} columns`);
}

function rowOf(number: string): number {
  const row = Number(number);
  if (!/^\d{1,7}$/.test(number) || row < 1 || row > maxRows) throw new Error(`a sheet has no row “${shorten(number)}”`);
  return row;
}

/** `AB12` → 27. */
function columnOf(place: string): number {
  const [, letters] = /^([A-Z]{1,3})\d{1,7}$/.exec(place) ?? [];
  if (letters === undefined) throw new Error(`a sheet has no cell “${shorten(place)}”`);
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function shorten(text: string): string {
  return text.slice(0, 20);
}

/** By the cell's type (ECMA-376 18.18.11). An empty text is no value. */
function readCell(cell: OpenCell, { texts, formats, isCalculatedOnLoad }: Workbook): Values {
  const { row, type, style, text } = cell;
  if (cell.formula !== null && lacksValue(cell, isCalculatedOnLoad))
    throw new Error(`row ${row} has a formula without its value: open the workbook in a spreadsheet, and save it there`);
  if (text === "") return { value: undefined };
  if (type === "n") return readNumber(text.trim(), formats[style]);
  if (type === "s") return { value: sharedText(texts, text, row) || undefined };
  if (type === "b") return { value: text.trim() === "1" || text.trim() === "true" ? "TRUE" : "FALSE" };
  // A date is the one of its author's clock, whatever zone a program writes behind it.
  if (type === "d") return { value: text.trim().replace("T", " ").replace(/Z$/, "") };
  return { value: unescapeText(text) };
}

/** `SUM(C2:C9)`, `SUBTOTAL(109,Tips[Amount])`; not `SUM(C2:D2)` or `SUM(Tips[@[Net]:[Fee]])`, which stay in their row. */
function isSum(formula: string): boolean {
  if (/^(?:SUBTOTAL|AGGREGATE)\(/i.test(formula)) return true;
  if (!/^(?:SUM|AVERAGE|COUNTA?|MAX|MIN)\(/i.test(formula)) return false;
  const ranges = formula.replaceAll("$", "").matchAll(/\b[A-Z]{1,3}(\d*):[A-Z]{1,3}(\d*)/gi);
  return /\w\[(?!@|#This Row|\[#This Row)/i.test(formula) || Array.from(ranges).some(([, first, last]) => first === "" || first !== last);
}

/** Programs that do not calculate write no value, an empty one or, for a spreadsheet that calculates when it opens the file, 0. */
function lacksValue({ type, text, hasValue }: OpenCell, isCalculatedOnLoad: boolean): boolean {
  return !hasValue || (type === "n" && (text.trim() === "" || (isCalculatedOnLoad && text.trim() === "0")));
}

/** A whole number of more than 15 digits, such as an id, is a text: it would be rounded. */
function readNumber(text: string, format: string | undefined): Values {
  const number = Number(text);
  return /^[+-]?\d{16}/.test(text) || !Number.isFinite(number) ? { value: text } : { value: number, format };
}

function sharedText(texts: readonly string[], index: string, row: number): string {
  const text = texts[Number(index)];
  if (text === undefined) throw new Error(`row ${row} has a text that the workbook lacks`);
  return text;
}
