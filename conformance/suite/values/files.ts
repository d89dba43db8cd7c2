// Images and sounds, made byte by byte.

import { crc32, deflateSync } from "node:zlib";

const word = (value: number): string => String.fromCharCode(value & 255, (value >> 8) & 255, (value >> 16) & 255, value >>> 24);

/** A sound of one sample (WAV) whose bytes are ASCII, so that it is the same as text. */
export const smallestFile = `RIFF${word(38)}WAVEfmt ${word(16)}\x01\0\x01\0${word(8_000)}${word(8_000)}\x01\0\x08\0data${word(1)}\x40\0`;

/** A WAV file of so many bytes, of which the header takes 44; an even number. */
export function wavOf(bytes: number): Buffer {
  const file = Buffer.alloc(bytes, 0x80);
  file.write(smallestFile.slice(0, 44), "latin1");
  file.writeUInt32LE(bytes - 8, 4);
  file.writeUInt32LE(bytes - 44, 40);
  return file;
}

/** A PNG of one colour, `extra` bytes behind its end. */
export function pngOf(width: number, height: number, extra = ""): Buffer {
  const rows = Buffer.alloc(height * (1 + Math.ceil(width / 8)));
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    pngChunk("IHDR", Buffer.concat([be32(width), be32(height), Buffer.from([1, 0, 0, 0, 0])])),
    pngChunk("IDAT", deflateSync(rows)),
    pngChunk("IEND", Buffer.alloc(0)),
    Buffer.from(extra, "latin1"),
  ]);
}

/** A chunk of PNG: length, type, data and checksum. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, "latin1"), data]);
  return Buffer.concat([be32(data.length), typed, be32(crc32(typed))]);
}

function be32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
