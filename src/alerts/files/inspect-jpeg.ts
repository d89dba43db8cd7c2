// JPEG (ITU-T T.81): segments, and between them the coded picture.

import { type Inspected, image, maxParts, refused } from "./inspection.ts";

/** Cameras add others behind the picture, such as a preview, which browsers don't look at. */
const maxPictures = 10;
/** More passes over the picture than an encoder makes: each costs a decoder as much as the whole picture. */
const maxScans = 100;

/** Pictures follow one another to the end of the file, with zeros between them at most. The first one counts. */
export function inspectJpeg(bytes: Buffer): Inspected {
  const first = readPicture(bytes, 0);
  let end = first?.end ?? null;
  for (let pictures = 1; end !== null && pictures <= maxPictures; pictures += 1) {
    while (bytes[end] === 0) end += 1;
    if (first && end === bytes.length) return image("image/jpeg", ...first.size);
    end = readPicture(bytes, end)?.end ?? null;
  }
  return refused("broken");
}

type Picture = Readonly<{ size: readonly [width: number, height: number]; end: number }>;

const endOfImage = 0xd9;
const startOfScan = 0xda;
/** Baseline, extended and progressive, in Huffman's code: those that browsers decode. */
const startsOfFrame = [0xc0, 0xc1, 0xc2];

/** Null for one that is damaged, or that no browser shows. */
function readPicture(bytes: Buffer, from: number): Picture | null {
  if (bytes.readUInt16BE(from) !== 0xffd8) return null;
  let size: Picture["size"] | null = null;
  let scans = 0;
  for (let at = from + 2, parts = 0; parts < maxParts; parts += 1) {
    if (bytes.readUInt8(at) !== 0xff) return null;
    while (bytes.readUInt8(at + 1) === 0xff) at += 1; // padding
    const marker = bytes.readUInt8(at + 1);
    if (marker === endOfImage) return size && scans > 0 ? { size, end: at + 2 } : null;
    const end = at + 2 + bytes.readUInt16BE(at + 2);
    if (end < at + 4 || end > bytes.length) return null;
    if (startsOfFrame.includes(marker)) {
      if (size || !isFrame(bytes.subarray(at + 4, end))) return null;
      size = [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
    } else if (marker === startOfScan) {
      scans += 1;
      if (!size || scans > maxScans) return null;
    } else if (!isTable(marker)) return null;
    at = marker === startOfScan ? endOfScan(bytes, end) : end;
  }
  return null;
}

/** Of 8 bits, with one, three or four components. */
function isFrame(frame: Buffer): boolean {
  const components = frame.readUInt8(5);
  return frame.readUInt8(0) === 8 && [1, 3, 4].includes(components) && frame.length === 6 + 3 * components;
}

/** Huffman's and quantization tables, the interval of restarts, segments of applications, and comments. */
function isTable(marker: number): boolean {
  return [0xc4, 0xdb, 0xdd, 0xfe].includes(marker) || (marker >= 0xe0 && marker <= 0xef);
}

/** The place of the next marker. In coded data 0xff is followed by 0, or by the number of a restart. */
function endOfScan(bytes: Buffer, from: number): number {
  let at = from;
  while (at < bytes.length && (bytes[at] !== 0xff || isCoded(bytes[at + 1] ?? 0))) at += 1;
  return at;
}

function isCoded(next: number): boolean {
  return next === 0 || (next >= 0xd0 && next <= 0xd7);
}
