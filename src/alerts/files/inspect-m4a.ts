// M4A (ISO/IEC 14496-12): boxes that fill the file, with tracks of sound.

import { type Inspected, maxParts, refused, sound } from "./inspection.ts";

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
  const tracks = boxesOf(movie.data)?.filter(({ type }) => type === "trak");
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
  for (const type of path) data = (data && boxesOf(data)?.find((box) => box.type === type)?.data) ?? null;
  return data;
}

/** Null when they do not fill the bytes exactly, or are too many. */
function boxesOf(bytes: Buffer): Box[] | null {
  const boxes: Box[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [head, size] = sizeAt(bytes, at);
    if (size < head || at + size > bytes.length || boxes.length === maxParts) return null;
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
