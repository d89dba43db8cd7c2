// Reads a CSV file row by row (RFC 4180; a comma, semicolon or tab between the columns, whichever the header has most of).

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { type Info, parse } from "csv-parse";
import type { TableRows } from "./table.ts";

const separators = [",", ";", "\t"];
/** Parsed at once; a larger chunk of the shortest rows would keep other requests waiting. */
const chunkBytes = 16_384;
/** Longer than any header. */
const headerBytes = 8_192;
/** Above it the quotes of the file are wrong, and the rest of it would be one cell. */
const maxRecordBytes = 65_536;

/** Throws an Error that names the line of a row that is not CSV. */
export async function* readCsv(file: string): TableRows {
  const parser = parse({
    delimiter: await separatorOf(file),
    bom: true,
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRecordBytes,
    info: true,
  });
  // `pipeline` destroys the parser with the error that the reader of its rows then gets.
  pipeline(createReadStream(file, { highWaterMark: chunkBytes }), withShortLines, parser, () => {});
  let next = 1;
  for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>) {
    yield { number: next, sheet: 1, cells: record.map((cell) => (cell === "" ? undefined : cell)) };
    next = info.lines + 1; // a quoted cell may have several lines
  }
}

/** The bytes unchanged. Throws an Error for a line above `maxRecordBytes`: the parser does not count separators, and keeps a column for each. */
async function* withShortLines(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let length = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at];
      length = byte === lineFeed || byte === carriageReturn ? 0 : length + 1;
      if (length > maxRecordBytes) throw new Error(`a line of the file is longer than ${maxRecordBytes / 1024} KiB`);
    }
    yield chunk;
  }
}

const [lineFeed, carriageReturn] = [0x0a, 0x0d];

async function separatorOf(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headerBytes), 0, headerBytes, 0);
    const [header = ""] = buffer.subarray(0, bytesRead).toString().split("\n");
    const count = (separator: string) => header.split(separator).length;
    return separators.reduce((best, one) => (count(one) > count(best) ? one : best));
  } finally {
    await handle.close();
  }
}
