// The encoding of a text file: what its first bytes say, else UTF-8 where every byte of the file fits it, else the better of the two encodings
// that a Thai Windows and a Western one write. A byte that the encoding lacks is an error, so that no U+FFFD comes into a cell.

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { TextDecoder } from "node:util";
import type { Encoding } from "./table.ts";

/** Parsed at once; a larger chunk of the shortest rows would keep other requests waiting. */
const chunkBytes = 16_384;
const headBytes = 4_096;
/** Of the letters of a file that must fit an encoding. Two of three letters of a Thai word in windows-874 may be UTF-8 by chance. */
const plausibleShare = 0.5;
const utf8Share = 0.8;

const marks: readonly (readonly [Encoding, Buffer])[] = [
  ["utf-8", Buffer.of(0xef, 0xbb, 0xbf)],
  ["utf-16le", Buffer.of(0xff, 0xfe)],
  ["utf-16be", Buffer.of(0xfe, 0xff)],
];

/** Reads the file to its end. Throws an Error for a file that fits no encoding, or not the `chosen` one. */
export async function encodingOf(file: string, chosen: Encoding | null): Promise<Encoding> {
  const head = await headOf(file);
  const marked = marks.find(([, mark]) => head.subarray(0, mark.length).equals(mark))?.[0] ?? null;
  if (marked && chosen && marked !== chosen) throw new Error(`the file says that it is ${marked}, and ${chosen} is chosen`);
  const known = chosen ?? marked ?? utf16Of(head);
  if (known?.startsWith("utf-16") && !head.includes(0)) throw new Error(`the file is not ${known}, which is chosen`);
  if (known === null && (await faultyLineOf(file, "utf-8")) === null) return "utf-8";
  const encoding = known ?? betterOf(await countLetters(file));
  const line = await faultyLineOf(file, encoding);
  if (line !== null) throw new Error(`line ${line} has bytes that ${encoding} lacks: is the file written in another encoding?`);
  return encoding;
}

/** The text of the file without a byte order mark. Throws a TypeError for bytes that the encoding lacks. */
export async function* textOf(file: string, encoding: Encoding): AsyncIterable<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes })) yield decoder.decode(chunk, { stream: true });
  yield decoder.decode();
}

export async function headOf(file: string): Promise<Buffer> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** UTF-16 without a mark: nearly every high byte is that of ASCII or of Thai, and there are separators, whose high byte is 0. */
function utf16Of(head: Buffer): Encoding | null {
  if (!head.includes(0)) return null;
  const units = Math.floor(head.length / 2);
  const highBytes = (first: number) =>
    Array.from({ length: units }, (_, at) => head[at * 2 + first]).filter((byte) => byte === 0 || byte === 0x0e).length;
  const [big, little] = [highBytes(0), highBytes(1)];
  if (Math.max(big, little) < units * 0.9 || big === little) return null;
  return big > little ? "utf-16be" : "utf-16le";
}

/** The line of the first byte that the encoding lacks; null where there is none. */
async function faultyLineOf(file: string, encoding: Encoding): Promise<number | null> {
  const [strict, lenient] = [new TextDecoder(encoding, { fatal: true }), new TextDecoder(encoding)];
  const undefinedLetter = encoding.startsWith("windows") ? /[\x80-\x9f\uFFFD]/ : /\uFFFD/;
  let [line, last] = [1, ""];
  let before: Buffer = Buffer.alloc(0);
  for await (const chunk of withEnd(createReadStream(file, { highWaterMark: chunkBytes }))) {
    const [text, isWrong] = decode(strict, chunk) ?? [lenientText(lenient, before, chunk), true];
    const end = isWrong || encoding.startsWith("windows") ? text.search(undefinedLetter) : -1;
    line += breaksIn(last + (end < 0 ? text : text.slice(0, end))) - breaksIn(last);
    if (end >= 0) return line;
    [last, before] = [text.slice(-1), chunk];
  }
  return null;
}

/** An empty chunk behind the others: a file can end inside of a letter. */
async function* withEnd(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  yield* chunks;
  yield Buffer.alloc(0);
}

function decode(decoder: TextDecoder, chunk: Buffer): [text: string, isWrong: boolean] | null {
  try {
    return [decoder.decode(chunk, { stream: chunk.length > 0 }), false];
  } catch {
    return null;
  }
}

/** A letter may begin in the chunk before. The decoders of windows-874 and -1252 read bytes that mean nothing as control characters. */
function lenientText(decoder: TextDecoder, before: Buffer, chunk: Buffer): string {
  decoder.decode(before, { stream: true });
  return decoder.decode(chunk);
}

export function breaksIn(text: string): number {
  return text.match(/\r\n|\r|\n/g)?.length ?? 0;
}

type Letters = { all: number; utf8: number; thai: number; western: number };

/** Bytes above ASCII in words, without the signs that both encodings have at the same place. */
const words = /[\x80-\xff]+/g;
const shared = /[\x80\x85\x91-\x97\xa0]/g;
const utf8Letters = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;
/** Signs of windows-1252 without its letters, which in a word are the letters of another encoding, such as that of an old Macintosh. */
const signs = /[\x80-\x89\x8b\x8d\x8f-\x99\x9b\x9d\xa0-\xa9\xab-\xb9\xbb-\xbf\xd7\xf7]/g;
/** Capitals that few languages have, behind a small letter or in front of one: "JosŽ", "MŸller". */
const oddCapital = /[a-z][\x8a\x8c\x8e\x9f]|[A-Za-z][\x8a\x8c\x8e\x9f][a-z]/g;
const westernOfUtf8 = /^[\xc2\xc3][\x80-\xbf]$/;
/** A consonant of windows-874 with the vowels and tone marks that may stand before, above and behind it. */
const thaiSyllables = /[\xe0-\xe4]?[\xa1-\xce][\xd1\xd4-\xda\xe7-\xee]{0,3}[\xcf\xd0\xd2\xd3\xe5\xe6\xf0-\xf9]*/g;

/** How many letters of the file could be those of each encoding. */
async function countLetters(file: string): Promise<Letters> {
  const letters: Letters = { all: 0, utf8: 0, thai: 0, western: 0 };
  let rest = "";
  for await (const chunk of createReadStream(file, { highWaterMark: chunkBytes })) {
    const text = rest + chunk.toString("latin1");
    const end = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r"), text.length - chunkBytes);
    countIn(text.slice(0, end), letters);
    rest = text.slice(end);
  }
  countIn(rest, letters);
  return letters;
}

function countIn(text: string, letters: Letters): void {
  for (const { 0: whole, index } of text.matchAll(words)) {
    const word = whole.replace(shared, "");
    const [before, after] = [text[index - 1] ?? "", text[index + whole.length] ?? ""];
    const isBesideAscii = /[A-Za-z]/.test(before + after);
    const western = word.replace(signs, "").length - lengthOf(before + whole + after, oddCapital, 1);
    if (western === 0 && !isBesideAscii && word.length === 1) continue; // "5 €"
    letters.all += word.length;
    letters.utf8 += lengthOf(whole, utf8Letters);
    if (westernOfUtf8.test(word)) continue; // "Ã©", which nobody writes
    // A Western letter above ASCII stands alone among others, a Thai one among its own; a baht sign stands beside a number.
    if (word === "\xdf" && /\d/.test(before + after)) letters.thai += 1;
    else if (isBesideAscii && word.length < 3) letters.western += western;
    else if (word.length > 1) letters.thai += lengthOf(word, thaiSyllables);
    else letters.western += western;
  }
}

function lengthOf(word: string, parts: RegExp, most = word.length): number {
  return (word.match(parts) ?? []).reduce((sum, part) => sum + Math.min(part.length, most), 0);
}

function betterOf({ all, utf8, thai, western }: Letters): Encoding {
  if (all > 0 && utf8 >= all * utf8Share) return "utf-8"; // and some of its bytes are wrong
  if (Math.max(thai, western) < all * plausibleShare)
    throw new Error("the file's letters are those of none of UTF-8, UTF-16, windows-874 and windows-1252: save it as UTF-8");
  return thai > western ? "windows-874" : "windows-1252";
}
