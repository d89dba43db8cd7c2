// Reads the rows of an XLSX workbook (ECMA-376, part 1) in constant memory: yauzl finds the sheets in the ZIP file, saxes reads their XML as it
// is inflated. Texts that a workbook keeps in one table for all sheets are in memory while it is read.

import { promisify } from "node:util";
import { type Entry, open, type ZipFile } from "yauzl";
import { boundedParser } from "./bounded-xml.ts";
import { appendText, readRows, unescapeText } from "./read-sheet.ts";
import type { TableRows } from "./table.ts";

type Sheet = Readonly<{ entry: Entry; number: number }>;

/** A workbook that tells more text than this is no list of donations, or is made to fill the memory. */
const maxSharedBytes = 256 * 1_048_576;
/** A sheet for each day of some years; the header of each is compared. */
const maxSheets = 1_000;

/** Rows of all sheets that have the header of the first one; its header comes once. Throws an Error for a file that is no workbook. */
export async function* readWorkbook(file: string, maxInflatedBytes = Number.POSITIVE_INFINITY): TableRows {
  const zip = await promisify<string, object, ZipFile>(open)(file, { lazyEntries: true, autoClose: false });
  try {
    const entries = await entriesOf(zip);
    const inflated = [...entries.values()].reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
    if (inflated > maxInflatedBytes) throw new Error(`the workbook is larger than ${maxInflatedBytes / 1_048_576} MiB when it is unpacked`);
    const texts = await readSharedTexts(zip, entries.get("xl/sharedStrings.xml"));
    const sheets = sheetsOf(entries);
    if (sheets.length === 0) throw new Error("the file has no sheets: is it an XLSX workbook?");
    if (sheets.length > maxSheets) throw new Error(`the workbook has more than ${maxSheets.toLocaleString("en")} sheets`);
    let header: string | null = null;
    for (const sheet of sheets) {
      let isFirst = true;
      for await (const row of readRows(await textOf(zip, sheet.entry), sheet.number, texts)) {
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
  let text: string | null = null;
  let isReading = false;
  const parser = boundedParser({
    open: ({ name }) => {
      if (name === "si") text = "";
      isReading ||= name === "t";
    },
    text: (part) => {
      if (isReading && text !== null) text = appendText(text, part);
    },
    close: ({ name }) => {
      if (name === "t") isReading = false;
      if (name !== "si") return;
      texts.push(unescapeText(text ?? ""));
      text = null;
    },
  });
  for await (const chunk of await textOf(zip, entry)) parser.write(chunk);
  parser.close();
  return texts;
}

async function textOf(zip: ZipFile, entry: Entry): Promise<AsyncIterable<string>> {
  const stream = await promisify(zip.openReadStream.bind(zip) as (entry: Entry, done: Parameters<ZipFile["openReadStream"]>[1]) => void)(
    entry,
  );
  return (stream as unknown as NodeJS.ReadableStream).setEncoding("utf8") as unknown as AsyncIterable<string>;
}
