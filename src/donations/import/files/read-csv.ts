// Reads a text file row by row (RFC 4180): a comma, semicolon, tab or bar between the columns, lines that end in any of three ways.

import { pipeline } from "node:stream";
import { CsvError, type Options, parse } from "csv-parse";
import { parse as parseAll } from "csv-parse/sync";
import { type FileChoices, type Separator, separators, type Table, type TableRows } from "./table.ts";
import { breaksIn, encodingOf, textOf } from "./text-encoding.ts";

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
export async function openCsv(file: string, choices: Pick<FileChoices, "encoding" | "separator">): Promise<Table> {
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
  pipeline(withShortLines(text), parser, () => {});
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
async function* withShortLines(chunks: AsyncIterable<string>): AsyncIterable<string> {
  let length = 0;
  for await (const chunk of chunks) {
    for (const [index, part] of chunk.split(/[\r\n]/).entries()) {
      length = index === 0 ? length + part.length : part.length;
      if (length > maxRecordBytes) throw new Error(`a line of the file is longer than ${maxRecordBytes / 1024} KiB`);
    }
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
  for (const { length } of parseAll(sample, options) as string[][]) if (length > 1) rows.set(length, (rows.get(length) ?? 0) + 1);
  return [...rows].reduce((best, [cells, count]) => (count > best.rows ? { rows: count, cells } : best), { rows: 0, cells: 0 });
}
