// PNG (ISO/IEC 15948), GIF (GIF89a), WebP (RFC 9649), and JPEG (ITU-T T.81): segments, and between them the coded picture.

import { crc32 } from "node:zlib";
import { type Chunk, chunksOf, type Inspected, image, maxFrames, maxParts, refused } from "./inspection.ts";

/** Chunks follow one another to IEND, which ends the file; each is confirmed by its checksum. */
export function inspectPng(bytes: Buffer): Inspected {
  let size: readonly [width: number, height: number] | null = null;
  let hasPixels = false;
  let frames = 0;
  for (let at = 8, chunks = 1; ; chunks += 1) {
    if (chunks > maxParts) return refused("broken");
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + 8);
    const end = at + 12 + length;
    if (end > bytes.length || crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4)) return refused("broken");
    if ((type === "IHDR") !== (size === null)) return refused("broken");
    if (type === "IHDR") size = [bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12)];
    else if (type === "IDAT") hasPixels = true;
    else if (type === "fcTL") frames += 1;
    else if (isCritical(type) && type !== "PLTE" && type !== "IEND") return refused("broken");
    if (frames > maxFrames) return refused("too_many_pixels");
    if (type === "IEND") return end === bytes.length && size && hasPixels ? image("image/png", ...size) : refused("broken");
    at = end;
  }
}

/** A decoder may not leave out a chunk whose name begins with a capital. */
function isCritical(type: string): boolean {
  return !/^[a-z]/.test(type);
}

/** Blocks follow one another to the trailer, which ends the file. */
export function inspectGif(bytes: Buffer): Inspected {
  const [width, height] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
  let frames = 0;
  for (let at = 13 + tableSize(bytes.readUInt8(10)); ; ) {
    const kind = bytes.readUInt8(at);
    if (kind === 0x3b) return at + 1 === bytes.length && frames > 0 ? image("image/gif", width, height) : refused("broken");
    if (kind === 0x21) at = skipBlocks(bytes, at + 2);
    else if (kind === 0x2c) {
      frames += 1;
      const [right, bottom] = [
        bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5),
        bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7),
      ];
      if (right > width || bottom > height) return refused("broken");
      if (frames > maxFrames) return refused("too_many_pixels");
      at = skipBlocks(bytes, at + 11 + tableSize(bytes.readUInt8(at + 9)));
    } else return refused("broken");
  }
}

function tableSize(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}

/** Returns the place after the sub-blocks, which an empty one ends. */
function skipBlocks(bytes: Buffer, from: number): number {
  let at = from;
  for (let size = bytes.readUInt8(at); size > 0; size = bytes.readUInt8(at)) at += size + 1;
  return at + 1;
}

const webpChunks = ["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP", "EXIF", "XMP "];

export function inspectWebp(bytes: Buffer): Inspected {
  const chunks = chunksOf(bytes);
  const [first] = chunks ?? [];
  if (!chunks || !first || chunks.some(({ type }) => !webpChunks.includes(type))) return refused("broken");
  const pictures = chunks.filter(({ type }) => ["VP8 ", "VP8L", "ANMF"].includes(type));
  const size = sizeOf(first);
  if (pictures.length === 0 || !size) return refused("broken");
  if (pictures.length > maxFrames) return refused("too_many_pixels");
  for (const one of pictures) {
    const [width, height] = sizeOf(one) ?? [Number.POSITIVE_INFINITY, 0];
    if (width > size[0] || height > size[1]) return refused("broken");
  }
  return image("image/webp", ...size);
}

/** Width and height of a chunk with a picture or the canvas. */
function sizeOf({ type, data }: Chunk): [width: number, height: number] | null {
  if (type === "VP8X") return [1 + data.readUIntLE(4, 3), 1 + data.readUIntLE(7, 3)];
  if (type === "ANMF") return [1 + data.readUIntLE(6, 3), 1 + data.readUIntLE(9, 3)];
  if (type === "VP8 " && data.readUIntBE(3, 3) === 0x9d012a) return [data.readUInt16LE(6) & 0x3fff, data.readUInt16LE(8) & 0x3fff];
  if (type !== "VP8L" || data.readUInt8(0) !== 0x2f) return null;
  const bits = data.readUInt32LE(1);
  return [1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff)];
}

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

type Span = Readonly<{ from: number; to: number }>;
type Element = Span & Readonly<{ id: number }>;

const ids = {
  ...{ header: 0x1a45dfa3, docType: 0x4282, segment: 0x18538067, cluster: 0x1f43b675 },
  ...{ tracks: 0x1654ae6b, track: 0xae, codec: 0x86, video: 0xe0, width: 0xb0, height: 0xba, void: 0xec },
} as const;

/** What a segment may have: SeekHead, Info, Tracks, Cluster, Cues, Tags, Chapters, Void, CRC-32; and in a cluster of unknown size its parts. */
const inSegment = [0x114d9b74, 0x1549a966, ids.tracks, ids.cluster, 0x1c53bb6b, 0x1254c367, 0x1043a770, ids.void, 0xbf];
const inCluster = [0xe7, 0xa3, 0xa0, 0xab, 0xa7];
const codecs = ["V_VP8", "V_VP9", "V_AV1"];

/** WebM: an EBML header (RFC 8794) and one segment (RFC 9559) that fill the file, with one track of video. */
export function inspectWebm(bytes: Buffer): Inspected {
  const [header, segment, ...others] = elementsIn(bytes, { from: 0, to: bytes.length }) ?? [];
  if (header?.id !== ids.header || segment?.id !== ids.segment || others.some(({ id }) => id !== ids.void)) return refused("broken");
  if (textOf(bytes, childOf(bytes, header, ids.docType)) !== "webm") return refused("unsupported");
  const parts = elementsIn(bytes, segment, maxElements);
  if (!parts?.every(({ id }) => inSegment.includes(id) || inCluster.includes(id))) return refused("broken");
  const tracks = parts.find(({ id }) => id === ids.tracks);
  const films = (tracks ? (elementsIn(bytes, tracks) ?? []) : []).filter((track) => childOf(bytes, track, ids.video));
  const [film] = films;
  if (!film || films.length > 1 || !parts.some(({ id }) => id === ids.cluster)) return refused("broken");
  if (!codecs.includes(textOf(bytes, childOf(bytes, film, ids.codec)))) return refused("unsupported");
  const video = childOf(bytes, film, ids.video) as Element;
  return image("video/webm", numberOf(bytes, childOf(bytes, video, ids.width)), numberOf(bytes, childOf(bytes, video, ids.height)));
}

/** More elements than the segment of a film of the allowed size has. */
const maxElements = 200_000;
/** More than anything else has. A description of hundreds of tracks with thousands of elements each would take seconds. */
const maxChildren = 200;

/**
 * The elements that fill a part of the file exactly; null when they do not, or are more than `max`. One of unknown size goes on to the end of
 * its parent.
 */
function elementsIn(bytes: Buffer, { from, to }: Span, max = maxChildren): Element[] | null {
  const elements: Element[] = [];
  let at = from;
  while (at < to) {
    const idLength = Math.clz32(bytes.readUInt8(at)) - 23;
    if (idLength > 4) return null;
    const id = bytes.readUIntBE(at, idLength);
    const sizeAt = at + idLength;
    const sizeLength = Math.clz32(bytes.readUInt8(sizeAt)) - 23;
    if (sizeLength > 8) return null;
    const begin = sizeAt + sizeLength;
    const size = elementSizeOf(bytes, sizeAt, sizeLength);
    const isOpen = size === null;
    const end = isOpen ? to : begin + size;
    if (begin > to || end > to || elements.length === max) return null;
    elements.push({ id, from: begin, to: end });
    at = isOpen && id === ids.cluster ? begin : end; // the parts of an open cluster are read as its neighbours
  }
  return elements;
}

/** Null: unknown, when all bits are set. Not exact above 2^53, which no file reaches. */
function elementSizeOf(bytes: Buffer, at: number, length: number): number | null {
  let size = bytes.readUInt8(at) & (0xff >> length);
  let isUnknown = size === 0xff >> length;
  for (let index = 1; index < length; index += 1) {
    const byte = bytes.readUInt8(at + index);
    size = size * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  return isUnknown ? null : size;
}

function childOf(bytes: Buffer, parent: Element, id: number): Element | null {
  return elementsIn(bytes, parent)?.find((element) => element.id === id) ?? null;
}

function textOf(bytes: Buffer, element: Element | null): string {
  return element ? bytes.toString("latin1", element.from, Math.min(element.to, element.from + 100)).replace(/\0+$/, "") : "";
}

function numberOf(bytes: Buffer, element: Element | null): number {
  if (!element || element.to === element.from || element.to - element.from > 6) return 0;
  return bytes.readUIntBE(element.from, element.to - element.from);
}
