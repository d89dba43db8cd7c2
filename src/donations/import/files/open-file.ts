// Opens a file to import: CSV and XLSX by their columns, NDJSON with a donation of the contract on each line.

import { createReadStream } from "node:fs";
import { extname } from "node:path";
import { pipeline } from "node:stream";
import { CsvError, type Options, parse } from "csv-parse";
import { parse as parseAll } from "csv-parse/sync";
import { makeYield } from "../../../base/async.ts";
import { type BodyLine, isObject, lineReader, lineSplitter, storable } from "../../../http/body/json.ts";
import { maxBodyBytes } from "../../../http/contract/published.ts";
import { external } from "../../donation.ts";
import { requireMembers } from "./columns.ts";
import { openWorkbook } from "./open-workbook.ts";
import { decideReading, type FileReading, type ReadingOptions, refuseQuestions } from "./reading.ts";
import { type FileChoices, type Separator, separators, type Table, type TableRow, type TableRows } from "./table.ts";
import { breaksIn, encodingOf, headOf, textOf } from "./text-encoding.ts";
import { type FileDonation, rowConverter } from "./to-donations.ts";

/** A row, where it is in its file, and the donation in it; or why it is none. */
export type FileItem = Readonly<{ place: string; donation: FileDonation } | { place: string; fault: string }>;

/** Above `maxInflatedBytes` a workbook is refused: a small file can be inflated to fill the memory. `signal` ends its reading. */
type TableOptions = Readonly<{ choices: FileChoices; maxInflatedBytes?: number; signal?: AbortSignal | undefined }>;

export type FileOptions = ReadingOptions & TableOptions;

/**
 * Throws an Error for another kind of file, one that cannot be read, one without the columns of a donation, and one of which the person must
 * say first how it is read. `decided`: how, where that is known already.
 */
export async function* openFile(file: string, options: FileOptions, decided?: FileReading | null): AsyncIterable<FileItem> {
  const reading = decided === undefined ? await readFile(file, options) : decided;
  if (reading === null) return yield* readLines(file);
  requireMembers(reading.columns, Boolean(options.places));
  refuseQuestions(reading);
  const convert = rowConverter(reading, options.choices);
  for await (const row of rowsOf(file, options, reading)) yield { place: placeOf(row), donation: convert(row) };
}

/** How a file with columns is read; null for one of lines. Throws what reading the file throws. */
export async function readFile(file: string, options: FileOptions): Promise<FileReading | null> {
  const table = await openTable(file, options);
  return table && decideReading(table, options);
}

/** The rows behind the header. */
export async function* rowsOf(file: string, options: FileOptions, { rowsBefore }: FileReading): TableRows {
  const table = await openTable(file, options);
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
export async function openTable(
  file: string,
  { choices, maxInflatedBytes = Number.POSITIVE_INFINITY, signal }: TableOptions,
): Promise<Table | null> {
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

// Reads a text file row by row (RFC 4180): a comma, semicolon, tab or bar between the columns, lines that end in any of three ways.

/** Rows of this many characters show which separator a file has. */
const sampleLength = 65_536;
const sampleRows = 100;
/** Above it the quotes of the file are wrong, and the rest of it would be one cell. */
const maxRecordBytes = 65_536;

const parsing: Options = {
  record_delimiter: ["\r\n", "\n", "\r"],
  relax_column_count: true,
  relax_quotes: true, // a quote inside of a cell without quotes is a letter; `checkQuotes` looks at the others
  skip_empty_lines: true,
};

/** Throws an Error for a file that is no text. Reading its rows throws one that names the line of a row that is not CSV. */
async function openCsv(file: string, choices: FileChoices): Promise<Table> {
  const encoding = await encodingOf(file, choices.encoding);
  const sample = await sampleOf(textOf(file, encoding));
  // The first line of a file may name its separator to Excel.
  const [line = "", named] = /^"?sep=(.)"?(?:\r\n|\r|\n)/.exec(sample) ?? [];
  const separator = choices.separator ?? separators.find((one) => one === named) ?? separatorOf(sample.slice(line.length));
  const reading = { encoding, separator, sheets: [], sheet: null, date1904: false, questions: [] };
  return { reading, rows: readRows(textFrom(textOf(file, encoding), line.length), separator, breaksIn(line)) };
}

async function* readRows(text: AsyncIterable<string>, separator: Separator, linesBefore: number): TableRows {
  const parser = parse({ ...parsing, delimiter: separator, max_record_size: maxRecordBytes, raw: true });
  // `pipeline` destroys the parser with the error that the reader of its rows then gets.
  pipeline(withShortLines(text, linesBefore), parser, () => {});
  let lines = linesBefore;
  try {
    for await (const { record, raw } of parser as AsyncIterable<{ record: string[]; raw: string }>) {
      const number = lines + breaksIn(/^[\r\n]*/.exec(raw)?.[0] ?? "") + 1;
      checkQuotes(raw, separator, number);
      lines += breaksIn(raw);
      const cells = record.map(cellOf);
      if (cells.some((cell) => cell !== undefined)) yield { number, sheet: 1, cells };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const tooLong = error.code === "CSV_MAX_RECORD_SIZE" ? `a cell is longer than ${maxRecordBytes / 1024} KiB: ` : "";
    throw new Error(`line ${lines + 1}: ${tooLong}its quotes are wrong`, { cause: error });
  }
}

/** Throws an Error for a cell that begins with a quote and goes on behind the closing one: `"Nok "the" cat"`. */
function checkQuotes(raw: string, separator: Separator, number: number): void {
  if (!raw.includes('"')) return;
  const cell = new RegExp(`(?:"(?:[^"]|"")*"|[^"${separator}][^${separator}]*)?(?:[${separator}]|$)`, "y");
  const text = raw.replace(/^[\r\n]+|[\r\n]+$/g, "");
  for (cell.lastIndex = 0; cell.lastIndex < text.length; ) if (!cell.test(text)) throw new Error(`line ${number}: its quotes are wrong`);
}

/** `="00123"` and `'00123` are how files keep spreadsheets from reading a text as a number, or as a formula. An empty cell is absent. */
function cellOf(text: string): string | undefined {
  const [, quoted] = /^="(.*)"$/s.exec(text) ?? [];
  if (quoted !== undefined) return quoted.replaceAll('""', '"') || undefined;
  if (text.startsWith("'") && /^'(?:[=+@-][^']*|[\d.,:/ +-]+)$/.test(text)) return text.slice(1);
  return text === "" ? undefined : text;
}

/** The text unchanged. Throws an Error for a line above `maxRecordBytes`: the parser does not count separators, and keeps a column for each. */
async function* withShortLines(chunks: AsyncIterable<string>, linesBefore: number): AsyncIterable<string> {
  let [length, line, last] = [0, linesBefore + 1, ""];
  for await (const chunk of chunks) {
    if (last === "\r" && chunk.startsWith("\n")) line -= 1; // one break in two chunks
    for (const [index, part] of chunk.split(/\r\n|\r|\n/).entries()) {
      length = index === 0 ? length + part.length : part.length;
      if (index > 0) line += 1;
      if (length > maxRecordBytes) throw new Error(`line ${line} is longer than ${maxRecordBytes / 1024} KiB`);
    }
    last = chunk.at(-1) ?? last;
    yield chunk;
  }
}

async function* textFrom(chunks: AsyncIterable<string>, start: number): AsyncIterable<string> {
  let left = start;
  for await (const chunk of chunks) {
    yield chunk.slice(left);
    left = Math.max(0, left - chunk.length);
  }
}

async function sampleOf(chunks: AsyncIterable<string>): Promise<string> {
  let sample = "";
  for await (const chunk of chunks) if ((sample += chunk).length >= sampleLength) break;
  return sample;
}

/** The one that divides most of the rows into equally many cells; of two such ones, into more. */
function separatorOf(sample: string): Separator {
  const end = sample.length < sampleLength ? sample.length : Math.max(sample.lastIndexOf("\n"), sample.lastIndexOf("\r"));
  const scores = separators.map((delimiter) => ({ delimiter, ...scoreOf(sample.slice(0, end), delimiter) }));
  return scores.reduce((best, one) => (one.rows > best.rows || (one.rows === best.rows && one.cells > best.cells) ? one : best)).delimiter;
}

function scoreOf(sample: string, delimiter: Separator): Readonly<{ rows: number; cells: number }> {
  const rows = new Map<number, number>();
  const options = { ...parsing, delimiter, to: sampleRows, skip_records_with_error: true };
  for (const { length } of parseAll(sample, options)) if (length > 1) rows.set(length, (rows.get(length) ?? 0) + 1);
  return [...rows].reduce((best, [cells, count]) => (count > best.rows ? { rows: count, cells } : best), { rows: 0, cells: 0 });
}
