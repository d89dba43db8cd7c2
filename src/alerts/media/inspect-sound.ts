// MP3 (ISO/IEC 11172-3, 13818-3), Ogg (RFC 3533), WAV, and M4A (ISO/IEC 14496-12): boxes that fill the file, with tracks of sound.

import { chunksOf, type Inspected, maxParts, refused, sound } from "./inspection.ts";

/** Frames follow one another from the tag at the beginning to those at the end. */
export function inspectMp3(bytes: Buffer): Inspected {
  const end = withoutEndTags(bytes);
  let frames = 0;
  for (let at = skipTags(bytes); at < end; frames += 1) {
    const length = end - at >= 4 ? frameLength(bytes.readUInt32BE(at)) : null;
    if (length === null) return refused("broken");
    at += length; // the last one may be cut off
  }
  return frames >= 2 ? sound("audio/mpeg") : refused("broken");
}

/** Programs that add a tag before another one leave two behind. */
const maxTags = 10;

/** ID3v2: ten bytes, and a size of four times seven bits. What follows too many of them is no frame. */
function skipTags(bytes: Buffer): number {
  let at = 0;
  for (let tags = 0; tags < maxTags && bytes.toString("latin1", at, at + 3) === "ID3"; tags += 1) {
    const sizes = bytes.subarray(at + 6, at + 10);
    if (sizes.length < 4 || sizes.some((byte) => byte > 127)) return bytes.length;
    const hasFooter = (bytes.readUInt8(at + 5) & 0x10) !== 0;
    at += 10 + sizes.reduce((size, byte) => size * 128 + byte, 0) + (hasFooter ? 10 : 0);
  }
  return at;
}

/** ID3v1 in the last 128 bytes, and APE before it. */
function withoutEndTags(bytes: Buffer): number {
  let end = bytes.length;
  if (end >= 128 && bytes.toString("latin1", end - 128, end - 125) === "TAG") end -= 128;
  if (end < 32 || bytes.toString("latin1", end - 32, end - 24) !== "APETAGEX") return end;
  const hasHeader = (bytes.readUInt32LE(end - 12) & 0x80000000) !== 0;
  return Math.max(0, end - bytes.readUInt32LE(end - 20) - (hasHeader ? 32 : 0));
}

const kilobits = {
  first: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  second: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const rates = [44_100, 48_000, 32_000];

/** Bytes of a frame of layer III by its header; null when this is none. */
function frameLength(header: number): number | null {
  const version = (header >>> 19) & 3; // 3: MPEG-1, 2: MPEG-2, 0: MPEG-2.5
  const [layer, bitrate, rate] = [(header >>> 17) & 3, (header >>> 12) & 15, (header >>> 10) & 3];
  const isFrame = header >>> 21 === 0x7ff && version !== 1 && layer === 1 && bitrate > 0 && bitrate < 15 && rate < 3;
  if (!isFrame) return null;
  const bits = 1_000 * ((version === 3 ? kilobits.first : kilobits.second)[bitrate] as number);
  const perSecond = (rates[rate] as number) / (version === 3 ? 1 : version === 2 ? 2 : 4);
  return Math.floor(((version === 3 ? 144 : 72) * bits) / perSecond) + ((header >>> 9) & 1);
}

/** What the first packet of a stream of sound begins with: Vorbis, Opus, FLAC. */
const soundStreams = ["\x01vorbis", "OpusHead", "\x7fFLAC"];

/** "OggS", with which each page begins. */
const capturePattern = 0x4f676753;

/** Pages follow one another to the end of the file, of one stream of sound. */
export function inspectOgg(bytes: Buffer): Inspected {
  let pages = 0;
  let serial = 0;
  for (let at = 0; at < bytes.length; pages += 1) {
    if (bytes.readUInt32BE(at) !== capturePattern || bytes.readUInt8(at + 4) !== 0) return refused("broken");
    const segments = bytes.readUInt8(at + 26);
    const body = at + 27 + segments;
    let end = body;
    for (let place = at + 27; place < body; place += 1) end += bytes[place] ?? 0; // `reduce` takes ten times as long
    if (body > bytes.length || end > bytes.length) return refused("broken");
    if (pages === 0) {
      serial = bytes.readUInt32LE(at + 14);
      const begin = bytes.toString("latin1", body, end);
      if (!soundStreams.some((name) => begin.startsWith(name))) return refused("unsupported");
    } else if (bytes.readUInt32LE(at + 14) !== serial) return refused("unsupported"); // a film, or several streams
    at = end;
  }
  return pages >= 2 ? sound("audio/ogg") : refused("broken");
}

/** Formats that browsers play: PCM, floats, and the extensible form of both. */
const wavFormats = [1, 3, 0xfffe];

export function inspectWav(bytes: Buffer): Inspected {
  const chunks = chunksOf(bytes);
  const format = chunks?.find(({ type }) => type === "fmt ")?.data;
  const data = chunks?.find(({ type }) => type === "data")?.data;
  if (!format || !data || data.length === 0) return refused("broken");
  const [coding, channels, rate] = [format.readUInt16LE(0), format.readUInt16LE(2), format.readUInt32LE(4)];
  const isPlayable = wavFormats.includes(coding) && channels >= 1 && channels <= 8 && rate >= 4_000 && rate <= 192_000;
  return isPlayable ? sound("audio/wav") : refused("broken");
}

type Box = Readonly<{ type: string; data: Buffer }>;

/** Brands of files that may have sound alone; a picture of a phone (HEIC) has another. */
const brands = ["M4A ", "M4B ", "mp41", "mp42", "isom", "iso2", "iso4", "iso5", "iso6", "dash"];
const fileBoxes = ["ftyp", "moov", "mdat", "free", "skip", "wide", "udta", "meta", "moof", "mfra", "sidx", "styp", "uuid"];
/** AAC and MP3, Opus, FLAC: those that browsers play. */
const codecs = ["mp4a", "Opus", "fLaC"];

export function isM4a(bytes: Buffer): boolean {
  return bytes.toString("latin1", 4, 8) === "ftyp" && brands.includes(bytes.toString("latin1", 8, 12));
}

export function inspectM4a(bytes: Buffer): Inspected {
  const boxes = boxesOf(bytes);
  if (!boxes || boxes.some(({ type }) => !fileBoxes.includes(type))) return refused("broken");
  const movies = boxes.filter(({ type }) => type === "moov");
  const [movie] = movies;
  if (!movie || movies.length > 1 || !boxes.some(({ type, data }) => type === "mdat" && data.length > 0)) return refused("broken");
  const tracks = boxesOf(movie.data, maxChildren)?.filter(({ type }) => type === "trak");
  const kinds = tracks?.map(({ data }) => kindOf(data));
  if (!kinds || kinds.length === 0 || kinds.includes("damaged")) return refused("broken");
  return kinds.includes("sound") && !kinds.includes("unplayable") ? sound("audio/mp4") : refused("unsupported");
}

/** Tracks of other kinds, such as chapters, are neither shown nor heard. */
function kindOf(track: Buffer): "sound" | "unplayable" | "other" | "damaged" {
  const media = boxOf(track, "mdia");
  const handler = media && boxOf(media, "hdlr")?.toString("latin1", 8, 12);
  if (!media || !handler) return "damaged";
  if (handler !== "soun") return handler === "vide" ? "unplayable" : "other";
  const description = boxOf(media, "minf", "stbl", "stsd");
  if (!description) return "damaged";
  return codecs.includes(description.toString("latin1", 12, 16)) ? "sound" : "unplayable";
}

/** The content of the first box of this path; null when there is none. */
function boxOf(parent: Buffer, ...path: string[]): Buffer | null {
  let data: Buffer | null = parent;
  for (const type of path) data = (data && boxesOf(data, maxChildren)?.find((box) => box.type === type)?.data) ?? null;
  return data;
}

/** More than a box within a box has. Tracks of thousands of empty ones, which are read again for each of their parts, would take a second. */
const maxChildren = 200;

/** Null when they do not fill the bytes exactly, or are more than `max`. */
function boxesOf(bytes: Buffer, max = maxParts): Box[] | null {
  const boxes: Box[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [head, size] = sizeAt(bytes, at);
    if (size < head || at + size > bytes.length || boxes.length === max) return null;
    boxes.push({ type: bytes.toString("latin1", at + 4, at + 8), data: bytes.subarray(at + head, at + size) });
    at += size;
  }
  return boxes;
}

/** Bytes of a box's head, and of all of it: 1 stands for a size of 64 bits, 0 for the rest. */
function sizeAt(bytes: Buffer, at: number): [head: number, size: number] {
  const size = bytes.readUInt32BE(at);
  if (size === 1) return [16, Number(bytes.readBigUInt64BE(at + 8))];
  return [8, size === 0 ? bytes.length - at : size];
}
