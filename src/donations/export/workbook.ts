// An XLSX file as a stream of constant memory: rows are asked for as the reader takes them. yazl makes the ZIP container (ZIP64 where
// it grows large); what it leaves to its caller, the errors and the end of every stream, is seen to here.

import { type PassThrough, Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ZipFile } from "yazl";
import { type Cell, type Column, maxSheetRows, sheetFoot, sheetHead, sheetRow, workbookParts } from "./workbook-xml.ts";

export type WorkbookParts<Row> = {
  /** Base of the sheets' names: "Donations", "Donations 2" … */
  name: string;
  columns: readonly Column[];
  /** Batches of rows. Read only as fast as the file is taken. */
  batches: AsyncIterable<readonly Row[]>;
  cells: (row: Row) => readonly Cell[];
  /** The last sheet, made when all rows have been read. */
  summary: { name: string; columns: readonly Column[]; rows: () => readonly (readonly Cell[])[] };
  /** Called once, when the file is complete or nobody wants the rest. */
  release: () => void;
  /** Rows of a sheet, its header included. */
  sheetRows?: number;
};

type Sheets<Row> = { batches: AsyncIterator<readonly Row[]>; pending: readonly Row[]; done: boolean };

/** Rows turned into bytes at a time: little lives long enough to make the heap grow. */
const chunkRows = 50;

/** The deflate level: half the time of the default, a tenth larger. */
const compressionLevel = 3;

/** The file. Destroying the stream stops the reading of rows and releases what they come from. */
export function streamWorkbook<Row>(parts: WorkbookParts<Row>): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as PassThrough;
  output.on("error", () => {}); // whoever reads it hears of it as well
  output.once("close", parts.release);
  zip.on("error", (error: Error) => output.destroy(error));
  write(zip, output, parts).catch((error: Error) => output.destroy(error));
  return output;
}

async function write<Row>(zip: ZipFile, output: PassThrough, parts: WorkbookParts<Row>): Promise<void> {
  const { name, batches, summary } = parts;
  const sheets: Sheets<Row> = { batches: batches[Symbol.asyncIterator](), pending: [], done: false };
  const names: string[] = [];
  const add = (sheet: string, chunks: AsyncIterable<string>) => addSheet(zip, output, names.push(sheet), chunks);
  try {
    do await add(names.length === 0 ? name : `${name} ${names.length + 1}`, sheet(sheets, parts));
    while (!sheets.done);
  } finally {
    await sheets.batches.return?.();
  }
  await add(summary.name, summarySheet(summary));
  for (const [part, xml] of Object.entries(workbookParts(names))) zip.addBuffer(Buffer.from(xml), part, { compressionLevel });
  zip.end();
}

/** Resolves when the sheet is in the file; rejects when the output is destroyed before. */
async function addSheet(zip: ZipFile, output: PassThrough, number: number, chunks: AsyncIterable<string>): Promise<void> {
  const source = Readable.from(bytesOf(chunks), { highWaterMark: 1 });
  const abandon = () => source.destroy();
  output.once("close", abandon);
  if (output.destroyed) abandon();
  zip.addReadStream(source, `xl/worksheets/sheet${number}.xml`, { compressionLevel });
  await finished(source);
  output.removeListener("close", abandon);
}

async function* bytesOf(chunks: AsyncIterable<string>): AsyncIterable<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

/** As many rows as fit, and what is left of the last batch for the next sheet. */
async function* sheet<Row>(sheets: Sheets<Row>, { columns, cells, sheetRows = maxSheetRows }: WorkbookParts<Row>): AsyncIterable<string> {
  yield sheetHead(columns);
  let rows = 1;
  while (rows < sheetRows && (await refill(sheets))) {
    const count = Math.min(chunkRows, sheetRows - rows, sheets.pending.length);
    let xml = "";
    for (const row of sheets.pending.slice(0, count)) xml += sheetRow((rows += 1), cells(row));
    sheets.pending = sheets.pending.slice(count);
    yield xml;
  }
  await refill(sheets); // is there another sheet to make?
  yield sheetFoot(columns, rows);
}

/** False at the end. */
async function refill<Row>(sheets: Sheets<Row>): Promise<boolean> {
  while (sheets.pending.length === 0 && !sheets.done) {
    const { value, done } = await sheets.batches.next();
    sheets.done = done === true;
    sheets.pending = value ?? [];
  }
  return sheets.pending.length > 0;
}

async function* summarySheet({ columns, rows }: WorkbookParts<never>["summary"]): AsyncIterable<string> {
  const all = rows();
  yield sheetHead(columns) + all.map((cells, index) => sheetRow(index + 2, cells)).join("") + sheetFoot(columns, all.length + 1);
}
