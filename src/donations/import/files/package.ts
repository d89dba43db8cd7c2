// The parts of a workbook's ZIP file, inflated as they are read, and their XML, parsed within bounds.

import { crc32 } from "node:zlib";
import { SaxesParser } from "saxes";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { occurrences } from "../../../http/body/json.ts";

/** Paths are compared without regard to case, as a package's are (ECMA-376, part 2). */
export type Package = Readonly<{
  has: (path: string) => boolean;
  /**
   * The text of a part. Throws an Error for one that is not there, that is no UTF-8 or UTF-16, or that is larger than it says, and when the
   * parts that were read have too many tags.
   */
  read: (path: string) => AsyncIterable<string>;
  close: () => void;
}>;

/** Ten parts for each of as many sheets as a workbook may have. */
const maxParts = 10_000;
/** Tags take longer to parse than texts, and an upload of 64 MiB of them would take ten seconds. 20,000 rows of 40 texts have 6,400,000. */
const bytesPerTag = 10;

/** Throws an Error for what is no ZIP file, and for one that is larger than `maxBytes` when it is unpacked. */
export async function openPackage(file: string, maxBytes: number): Promise<Package> {
  // yauzl stops a part that is inflated to more than its size, so the sizes can be believed.
  const zip = await openPromise(file, { lazyEntries: true, autoClose: false }).catch(damaged);
  try {
    const entries = await entriesOf(zip);
    const inflated = [...entries.values()].reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
    if (inflated > maxBytes)
      throw new Error(`the workbook is larger than ${(maxBytes / 1_048_576).toPrecision(2)} MiB when it is unpacked`);
    let tags = 0;
    const read = async function* (path: string): AsyncIterable<string> {
      const entry = entries.get(path.toLowerCase());
      if (!entry) throw new Error(`the workbook lacks its part “${path.slice(0, 100)}”`);
      try {
        for await (const text of decode(checked(await zip.openReadStreamPromise(entry), entry.crc32))) {
          tags += occurrences(text, "<");
          if (tags > maxBytes / bytesPerTag) break;
          yield text;
        }
      } catch (error) {
        damaged(error);
      }
      if (tags > maxBytes / bytesPerTag) throw new Error("the workbook has too many cells and texts: divide it, or save it as .csv");
    };
    return { has: (path) => entries.has(path.toLowerCase()), read, close: () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function entriesOf(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > maxParts) throw new Error(`the workbook has more than ${maxParts.toLocaleString("en")} parts`);
  const entries = new Map<string, Entry>();
  try {
    for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
  } catch (error) {
    damaged(error);
  }
  return entries;
}

/** Says first what has happened: the words of the libraries are for programmers. */
function damaged(error: unknown): never {
  throw new Error(`the workbook is damaged: ${error instanceof Error ? error.message : error}`, { cause: error });
}

/** The chunks unchanged. Throws an Error behind the last one where their checksum is another than the file says. */
async function* checked(chunks: AsyncIterable<Buffer>, expected: number): AsyncIterable<Buffer> {
  let sum = 0;
  for await (const chunk of chunks) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== expected) throw new Error("its checksum is wrong");
}

/** Every XML file is UTF-8 or UTF-16 (XML 1.0, 4.3.3). */
async function* decode(chunks: AsyncIterable<Buffer>): AsyncIterable<string> {
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  for await (const chunk of chunks) {
    const mark = chunk.subarray(0, 2).toString("hex");
    decoder ??= new TextDecoder(mark === "fffe" ? "utf-16le" : mark === "feff" ? "utf-16be" : "utf-8", { fatal: true });
    yield decoder.decode(chunk, { stream: true });
  }
  yield decoder?.decode() ?? "";
}

/** Elements of a workbook nest about a dozen deep. */
const maxDepth = 100;
const maxAttributes = 100;

/** Names without their prefix, which every program chooses as it likes. */
type XmlHandlers = Readonly<{
  open: (name: string, attributes: Readonly<Record<string, string>>) => void;
  text?: (part: string) => void;
  close?: (name: string) => void;
}>;

/** Throws an Error for what is no XML, and for what nests deeper or has more attributes than anything in a workbook. */
export function boundedParser({ open, text, close }: XmlHandlers): SaxesParser {
  const parser = new SaxesParser();
  parser.on("error", ({ message }) => {
    throw new Error(`the workbook is damaged: ${message}`);
  });
  let depth = 0;
  let attributes = 0;
  parser.on("opentagstart", () => {
    depth += 1;
    attributes = 0;
    if (depth > maxDepth) throw new Error("the workbook's XML nests too deep");
  });
  parser.on("attribute", () => {
    attributes += 1;
    if (attributes > maxAttributes) throw new Error("an element of the workbook has too many attributes");
  });
  parser.on("opentag", (tag) => open(localName(tag.name), tag.attributes));
  if (text) {
    parser.on("text", text);
    parser.on("cdata", text);
  }
  parser.on("closetag", (tag) => {
    depth -= 1;
    close?.(localName(tag.name));
  });
  return parser;
}

/** Hands a part of a workbook to the handlers. */
export async function parseXml(xml: AsyncIterable<string>, handlers: XmlHandlers): Promise<void> {
  const parser = boundedParser(handlers);
  for await (const chunk of xml) parser.write(chunk);
  parser.close();
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
