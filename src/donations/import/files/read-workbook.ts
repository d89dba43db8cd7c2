// Reads the rows of an XLSX workbook (ECMA-376, part 1) in constant memory: yauzl finds the sheets in the ZIP file, saxes reads their XML as it
// is inflated. Texts that a workbook keeps in one table for all sheets are in memory while it is read.

import { promisify } from "node:util";
import { SaxesParser } from "saxes";
import { type Entry, open, type ZipFile } from "yauzl";
import type { Cell, Table, TableRow } from "./table.ts";

type Sheet = Readonly<{ entry: Entry; number: number }>;

/** A workbook that tells more text than this is no list of donations, or is made to fill the memory. */
const maxSharedBytes = 256 * 1_048_576;

/** Rows of all sheets that have the header of the first one; its header comes once. Throws an Error for a file that is no workbook. */
export async function* readWorkbook(file: string, maxInflatedBytes = Number.POSITIVE_INFINITY): Table {
  const zip = await promisify<string, object, ZipFile>(open)(file, { lazyEntries: true, autoClose: false });
  try {
    const entries = await entriesOf(zip);
    const inflated = [...entries.values()].reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
    if (inflated > maxInflatedBytes) throw new Error(`the workbook is larger than ${maxInflatedBytes / 1_048_576} MiB when it is unpacked`);
    const texts = await readSharedTexts(zip, entries.get("xl/sharedStrings.xml"));
    const sheets = sheetsOf(entries);
    if (sheets.length === 0) throw new Error("the file has no sheets: is it an XLSX workbook?");
    let header: string | null = null;
    for (const sheet of sheets) {
      let isFirst = true;
      for await (const row of readSheet(zip, sheet, texts)) {
        const text: string = isFirst ? JSON.stringify(row.cells) : "";
        if (isFirst && header !== null && text !== header) break; // another kind of sheet, such as a summary
        if (!isFirst || header === null) yield row;
        header ??= text;
        isFirst = false;
      }
    }
  } finally {
    zip.close();
  }
}

async function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  await new Promise<void>((resolve, reject) => {
    zip.on("entry", (entry: Entry) => {
      entries.set(entry.fileName, entry);
      zip.readEntry();
    });
    zip.once("end", resolve);
    zip.once("error", reject);
    zip.readEntry();
  });
  return entries;
}

function sheetsOf(entries: ReadonlyMap<string, Entry>): Sheet[] {
  const found = [...entries].flatMap(([name, entry]) => {
    const [, number] = /^xl\/worksheets\/sheet(\d+)\.xml$/.exec(name) ?? [];
    return number === undefined ? [] : [{ entry, number: Number(number) }];
  });
  return found.sort((a, b) => a.number - b.number);
}

/** The texts of all sheets, by their index. Rich text is the text of its parts; readings of it are left out. */
async function readSharedTexts(zip: ZipFile, entry: Entry | undefined): Promise<string[]> {
  const texts: string[] = [];
  if (!entry) return texts;
  if (entry.uncompressedSize > maxSharedBytes) throw new Error("the workbook has too much text");
  const parser = new SaxesParser();
  let text: string | null = null;
  let isReading = false;
  parser.on("opentag", ({ name }) => {
    if (name === "si") text = "";
    isReading ||= name === "t";
  });
  parser.on("text", (part) => {
    if (isReading && text !== null) text += part;
  });
  parser.on("closetag", ({ name }) => {
    if (name === "t") isReading = false;
    if (name !== "si") return;
    texts.push(unescapeText(text ?? ""));
    text = null;
  });
  for await (const chunk of await textOf(zip, entry)) parser.write(chunk);
  parser.close();
  return texts;
}

type OpenCell = { column: number; type: string; text: string };

async function* readSheet(zip: ZipFile, { entry, number: sheet }: Sheet, texts: readonly string[]): Table {
  const parser = new SaxesParser();
  const rows: TableRow[] = [];
  let cells: (Cell | undefined)[] = [];
  let row = 0;
  let open: OpenCell | null = null;
  let isValue = false;
  parser.on("opentag", ({ name, attributes }) => {
    const { r, t = "n" } = attributes as Record<string, string>;
    if (name === "row") [row, cells] = [r === undefined ? row + 1 : Number(r), []];
    else if (name === "c") open = { column: r === undefined ? cells.length : columnOf(r), type: t, text: "" };
    else isValue ||= name === "v" || name === "t";
  });
  parser.on("text", (part) => {
    if (isValue && open) open.text += part;
  });
  parser.on("closetag", ({ name }) => {
    if (name === "v" || name === "t") isValue = false;
    if (name === "c" && open) cells[open.column] = readCell(open, texts);
    if (name === "row") rows.push({ number: row, sheet, cells });
  });
  for await (const chunk of await textOf(zip, entry)) {
    parser.write(chunk);
    yield* rows.splice(0);
  }
  parser.close();
}

async function textOf(zip: ZipFile, entry: Entry): Promise<AsyncIterable<string>> {
  const stream = await promisify(zip.openReadStream.bind(zip) as (entry: Entry, done: Parameters<ZipFile["openReadStream"]>[1]) => void)(
    entry,
  );
  return (stream as unknown as NodeJS.ReadableStream).setEncoding("utf8") as unknown as AsyncIterable<string>;
}

/** `AB12` → 27. */
function columnOf(place: string): number {
  const letters = place.replace(/\d+$/, "");
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function readCell({ type, text }: OpenCell, texts: readonly string[]): Cell | undefined {
  if (type === "n") return text === "" ? undefined : Number(text);
  const value = type === "s" ? (texts[Number(text)] ?? "") : unescapeText(text);
  return value === "" ? undefined : value;
}

/** Characters that XML cannot have are written `_x0000_` (ECMA-376 22.9.2.19). */
function unescapeText(text: string): string {
  return text.replace(/_x([0-9a-fA-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
