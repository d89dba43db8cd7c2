// Judges by its content what an uploaded file is. It is read to its very end: a file that is something else as well, behind or between the
// parts of its format, is refused.

import { judgeGif, judgePng } from "./inspect-picture.ts";
import { judgeWav, judgeWebp } from "./inspect-riff.ts";
import { judgeMp3, judgeOgg } from "./inspect-sound.ts";
import { judgeWebm } from "./inspect-webm.ts";
import { type Judged, maxPixels, maxSide, refused } from "./inspection.ts";

/** What no image or sound needs, and what a browser that is deceived about the type would run. */
const active = /<(?:script|iframe|!doctype|html[\s>]|\?php|!entity)|javascript:/i;

const formats: readonly (readonly [isThis: (bytes: Buffer) => boolean, judge: (bytes: Buffer) => Judged])[] = [
  [(bytes) => bytes.subarray(0, 8).equals(Buffer.from("\x89PNG\r\n\x1a\n", "latin1")), judgePng],
  [(bytes) => /^GIF8[79]a/.test(bytes.toString("latin1", 0, 6)), judgeGif],
  [(bytes) => textAt(bytes, 0) === "RIFF" && textAt(bytes, 8) === "WEBP", judgeWebp],
  [(bytes) => textAt(bytes, 0) === "RIFF" && textAt(bytes, 8) === "WAVE", judgeWav],
  [(bytes) => textAt(bytes, 0) === "OggS", judgeOgg],
  [(bytes) => bytes.length > 4 && bytes.readUInt32BE(0) === 0x1a45dfa3, judgeWebm],
  [(bytes) => bytes.toString("latin1", 0, 3) === "ID3" || (bytes.length > 1 && (bytes.readUInt16BE(0) & 0xffe6) === 0xffe2), judgeMp3],
];

/** Never throws, and takes time in proportion to the file. */
export function judgeFile(bytes: Buffer): Judged {
  if (bytes.length === 0) return refused("empty");
  const format = formats.find(([isThis]) => isThis(bytes));
  if (!format) return refused("unsupported");
  const judged = judgeSafely(format[1], bytes);
  if ("refused" in judged) return judged;
  if (active.test(bytes.toString("latin1"))) return refused("active_content");
  const { width, height } = judged;
  if (width === null || height === null) return judged;
  if (width === 0 || height === 0) return refused("broken");
  return width > maxSide || height > maxSide || width * height > maxPixels ? refused("too_many_pixels") : judged;
}

/** Reading beyond the end throws a RangeError: the file is shorter than it says. */
function judgeSafely(judge: (bytes: Buffer) => Judged, bytes: Buffer): Judged {
  try {
    return judge(bytes);
  } catch (error) {
    if (error instanceof RangeError) return refused("broken");
    throw error;
  }
}

function textAt(bytes: Buffer, at: number): string {
  return bytes.toString("latin1", at, at + 4);
}
