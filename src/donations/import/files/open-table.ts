// Opens a file with columns: what it is shows in its first bytes, and not in its name alone.

import { extname } from "node:path";
import { storable } from "../../../http/body/body.ts";
import type { FileChoices } from "./choices.ts";
import { openWorkbook } from "./open-workbook.ts";
import { openCsv } from "./read-csv.ts";
import type { Table, TableRows } from "./table.ts";
import { headOf } from "./text-encoding.ts";

/** Above `maxInflatedBytes` a workbook is refused: a small file can be inflated to fill the memory. */
export type TableLimits = Readonly<{ maxInflatedBytes?: number; signal?: AbortSignal }>;

/** What a file is that begins with these bytes, and how it comes to be one that is read. */
const refused: readonly (readonly [RegExp, string])[] = [
  [/^\xd0\xcf\x11\xe0/, "the file is an .xls workbook, or one with a password: open it, and save it as .xlsx without a password"],
  [/^%PDF/, "the file is a PDF: ask where it comes from for .xlsx or .csv"],
  [
    /^(?:\xef\xbb\xbf)?\s*<(?:!doctype|\?xml|html|head|body|meta|table|div|style)\b/i,
    "the file is a web page or XML: open it in a spreadsheet, and save it as .xlsx",
  ],
];

/** The names that text files have; an .xls is often one, too. */
const textNames = ["csv", "tsv", "tab", "txt", "xls", ""];
const lineNames = ["ndjson", "jsonl"];

/** The rows of a file with columns, in text that can be stored; null for one of lines. Throws an Error for another kind of file. */
export async function openTable(file: string, choices: FileChoices, limits: TableLimits = {}): Promise<Table | null> {
  const { maxInflatedBytes = Number.POSITIVE_INFINITY, signal = null } = limits;
  const name = extname(file).slice(1).toLowerCase();
  const head = await headOf(file);
  const [, reason] = refused.find(([bytes]) => bytes.test(head.toString("latin1"))) ?? [];
  if (reason !== undefined) throw new Error(reason);
  if (isZip(head)) return storableTable(await openWorkbook({ file, sheet: choices.sheet, maxInflatedBytes, signal }));
  if (lineNames.includes(name)) return null;
  if (textNames.includes(name)) return storableTable(await openCsv(file, choices));
  throw new Error(`the file must be one of .xlsx, .csv, .tsv, .txt, .ndjson, not "${file}"`);
}

function isZip(head: Buffer): boolean {
  return head.subarray(0, 4).equals(Buffer.of(0x50, 0x4b, 3, 4));
}

/** A cell can have NUL and halves of a character, in a workbook as `_x0000_`; what comes by HTTP is changed in the same way. */
function storableTable({ reading, rows }: Table): Table {
  return { reading, rows: storableRows(rows) };
}

async function* storableRows(rows: TableRows): TableRows {
  for await (const row of rows) yield { ...row, cells: row.cells.map((cell) => (typeof cell === "string" ? storable(cell) : cell)) };
}
