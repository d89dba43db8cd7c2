// Reads the rows of one sheet of an XLSX workbook (ECMA-376, part 1) from its XML, as it is inflated.

import { boundedParser } from "./bounded-xml.ts";
import type { Cell, TableRow, TableRows } from "./table.ts";

/** Limits of a sheet and of a cell's text (ECMA-376 18.3.1.73, 18.3.1.4; Excel's own). Places beyond them would be filled up with empty cells. */
const maxRows = 1_048_576;
const maxColumns = 16_384;
const maxCellText = 32_767;

type OpenCell = { column: number; type: string; text: string };

/** `texts`: those that the workbook keeps for all sheets. Throws an Error for what no sheet has. */
export async function* readRows(xml: AsyncIterable<string>, sheet: number, texts: readonly string[]): TableRows {
  const rows: TableRow[] = [];
  let cells: (Cell | undefined)[] = [];
  let [row, column] = [0, -1];
  let open: OpenCell | null = null;
  let isValue = false;
  const parser = boundedParser({
    open: ({ name, attributes }) => {
      const { r, t = "n" } = attributes as Record<string, string>;
      if (name === "row") [row, column, cells] = [r === undefined ? row + 1 : rowOf(r), -1, []];
      else if (name === "c") {
        column = r === undefined ? column + 1 : columnOf(r);
        if (column >= maxColumns) throw new Error(`row ${row} has more than ${maxColumns.toLocaleString("en")} columns`);
        open = { column, type: t, text: "" };
      } else isValue ||= name === "v" || name === "t";
    },
    text: (part) => {
      if (isValue && open) open.text = appendText(open.text, part);
    },
    close: ({ name }) => {
      if (name === "v" || name === "t") isValue = false;
      if (name === "c" && open) {
        const value = readCell(open, texts);
        if (value !== undefined) cells[open.column] = value; // a cell that has only a format may stand far to the right
        open = null;
      }
      if (name === "row") rows.push({ number: row, sheet, cells });
    },
  });
  for await (const chunk of xml) {
    parser.write(chunk);
    yield* rows.splice(0);
  }
  parser.close();
}

/** A cell's text with its next part. Throws an Error above the length that a cell may have. */
export function appendText(text: string, part: string): string {
  if (text.length + part.length > maxCellText) throw new Error(`a cell is longer than ${maxCellText.toLocaleString("en")} characters`);
  return text + part;
}

/** Characters that XML cannot have are written `_x0000_` (ECMA-376 22.9.2.19). */
export function unescapeText(text: string): string {
  return text.replace(/_x([0-9a-fA-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
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

function readCell({ type, text }: OpenCell, texts: readonly string[]): Cell | undefined {
  if (type === "n") return text === "" ? undefined : Number(text);
  const value = type === "s" ? (texts[Number(text)] ?? "") : unescapeText(text);
  return value === "" ? undefined : value;
}
