// PNG (ISO/IEC 15948) and GIF (GIF89a).

import { crc32 } from "node:zlib";
import { type Inspected, image, maxFrames, maxParts, refused } from "./inspection.ts";

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
