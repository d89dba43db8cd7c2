// WebP (RFC 9649) and WAV: chunks of RIFF that fill the file.

import { type Inspected, image, maxFrames, maxParts, refused, sound } from "./inspection.ts";

type Chunk = Readonly<{ type: string; data: Buffer }>;

/** The chunks behind the 12 bytes of the header; null when they do not fill the file exactly, or are too many. */
function chunksOf(bytes: Buffer): Chunk[] | null {
  const size = bytes.readUInt32LE(4) + 8;
  if (size !== bytes.length && size + (size % 2) !== bytes.length) return null;
  const chunks: Chunk[] = [];
  let at = 12;
  while (at < size) {
    const length = bytes.readUInt32LE(at + 4);
    if (at + 8 + length > bytes.length || chunks.length === maxParts) return null;
    chunks.push({ type: bytes.toString("latin1", at, at + 4), data: bytes.subarray(at + 8, at + 8 + length) });
    at += 8 + length + (length % 2);
  }
  return chunks;
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
