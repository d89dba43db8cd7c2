// Judges by its content what an uploaded file is. It is read to its very end: a file that is something else as well, behind or between the
// parts of its format, is refused.

import { inspectGif, inspectJpeg, inspectPng, inspectWebm, inspectWebp } from "./inspect-image.ts";
import { inspectM4a, inspectMp3, inspectOgg, inspectWav, isM4a } from "./inspect-sound.ts";
import { type Inspected, maxPixels, maxSide, refused } from "./inspection.ts";

/** What no image or sound needs, and what a browser that is deceived about the type would run. */
const active = /<(?:script|iframe|!doctype|html[\s>]|\?php|!entity)|javascript:/i;

const formats: readonly (readonly [isThis: (bytes: Buffer) => boolean, inspect: (bytes: Buffer) => Inspected])[] = [
  [(bytes) => bytes.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1")), inspectPng],
  [(bytes) => /^GIF8[79]a/.test(bytes.toString("latin1", 0, 6)), inspectGif],
  [(bytes) => textAt(bytes, 0) === "RIFF" && textAt(bytes, 8) === "WEBP", inspectWebp],
  [(bytes) => textAt(bytes, 0) === "RIFF" && textAt(bytes, 8) === "WAVE", inspectWav],
  [(bytes) => textAt(bytes, 0) === "OggS", inspectOgg],
  [isM4a, inspectM4a],
  [(bytes) => bytes.length > 2 && bytes.readUIntBE(0, 3) === 0xffd8ff, inspectJpeg],
  [(bytes) => bytes.length > 4 && bytes.readUInt32BE(0) === 0x1a45dfa3, inspectWebm],
  [(bytes) => bytes.toString("latin1", 0, 3) === "ID3" || (bytes.length > 1 && (bytes.readUInt16BE(0) & 0xffe6) === 0xffe2), inspectMp3],
];

/** Never throws, and takes time in proportion to the file. */
export function inspectFile(bytes: Buffer): Inspected {
  if (bytes.length === 0) return refused("empty");
  const format = formats.find(([isThis]) => isThis(bytes));
  if (!format) return refused("unsupported");
  const inspected = inspectSafely(format[1], bytes);
  if ("refused" in inspected) return inspected;
  if (active.test(bytes.toString("latin1"))) return refused("active_content");
  const { width, height } = inspected;
  if (width === null || height === null) return inspected;
  if (width === 0 || height === 0) return refused("broken");
  return width > maxSide || height > maxSide || width * height > maxPixels ? refused("too_many_pixels") : inspected;
}

/** Reading beyond the end throws a RangeError: the file is shorter than it says. */
function inspectSafely(inspect: (bytes: Buffer) => Inspected, bytes: Buffer): Inspected {
  try {
    return inspect(bytes);
  } catch (error) {
    if (error instanceof RangeError) return refused("broken");
    throw error;
  }
}

function textAt(bytes: Buffer, at: number): string {
  return bytes.toString("latin1", at, at + 4);
}
