// Writes an XLSX file as a stream with constant memory: rows are read as fast as the client reads the file. yazl writes the ZIP container
// (ZIP64 for a large one); errors and the end of every stream are handled here.

import { type PassThrough, Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { ZipFile } from "yazl";
import { type Cell, type Column, maxSheetRows, sheetFoot, sheetHead, sheetRow, workbookParts } from "./workbook-xml.ts";

type WorkbookContent<Row> = {
  /** Base of the sheets' names: "Donations", "Donations 2" … */
  name: string;
  columns: readonly Column[];
  /** Batches of rows. They are read only as fast as the file is read. */
  batches: AsyncIterable<readonly Row[]>;
  cells: (row: Row) => readonly Cell[];
  /** The last sheet, written when all rows have been read. */
  summary: { name: string; columns: readonly Column[]; rows: () => readonly (readonly Cell[])[] };
  /** Called once, when the file is complete or its stream is destroyed. */
  release: () => void;
  /** Rows of a sheet, its header included. */
  sheetRows?: number;
};

type Sheets<Row> = { batches: AsyncIterator<readonly Row[]>; pending: readonly Row[]; done: boolean };

/** Rows that are converted at a time: few objects then live long enough to make the heap grow. */
const chunkRows = 50;

/** The deflate level: it takes half the time of the default, and the file is a tenth larger. */
const compressionLevel = 3;

/** Returns the file as a stream. Destroying the stream stops the reading of rows and calls `release`. */
export function streamWorkbook<Row>(parts: WorkbookContent<Row>): Readable {
  const zip = new ZipFile();
  const output = zip.outputStream as PassThrough;
  output.on("error", () => {}); // the reader of the stream receives the error, too
  output.once("close", parts.release);
  zip.on("error", (error: Error) => output.destroy(error));
  write(zip, output, parts).catch((error: Error) => output.destroy(error));
  return output;
}

async function write<Row>(zip: ZipFile, output: PassThrough, parts: WorkbookContent<Row>): Promise<void> {
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
  const destroySource = () => source.destroy();
  output.once("close", destroySource);
  if (output.destroyed) destroySource();
  zip.addReadStream(source, `xl/worksheets/sheet${number}.xml`, { compressionLevel });
  await finished(source);
  output.removeListener("close", destroySource);
}

async function* bytesOf(chunks: AsyncIterable<string>): AsyncIterable<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(chunk);
}

/** Writes as many rows as fit into one sheet. The rest of the last batch stays in `sheets.pending` for the next one. */
async function* sheet<Row>(sheets: Sheets<Row>, { columns, cells, sheetRows = maxSheetRows }: WorkbookContent<Row>): AsyncIterable<string> {
  yield sheetHead(columns);
  let rows = 1;
  while (rows < sheetRows && (await refill(sheets))) {
    const count = Math.min(chunkRows, sheetRows - rows, sheets.pending.length);
    let xml = "";
    for (const row of sheets.pending.slice(0, count)) xml += sheetRow((rows += 1), cells(row));
    sheets.pending = sheets.pending.slice(count);
    yield xml;
  }
  await refill(sheets); // `sheets.done` then tells whether another sheet is needed
  yield sheetFoot(columns, rows);
}

/** Reads the next batch when no row is pending. Returns false when there are no more rows. */
async function refill<Row>(sheets: Sheets<Row>): Promise<boolean> {
  while (sheets.pending.length === 0 && !sheets.done) {
    const { value, done } = await sheets.batches.next();
    sheets.done = done === true;
    sheets.pending = value ?? [];
  }
  return sheets.pending.length > 0;
}

async function* summarySheet({ columns, rows }: WorkbookContent<never>["summary"]): AsyncIterable<string> {
  const all = rows();
  yield sheetHead(columns) + all.map((cells, index) => sheetRow(index + 2, cells)).join("") + sheetFoot(columns, all.length + 1);
}
