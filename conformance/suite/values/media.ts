// Images and sounds, made byte by byte; of each type that alerts may have, the smallest whole file. Any decoder of the type reads it.

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

export type Media = { type: string; kind: "image" | "sound"; width: number | null; height: number | null; bytes: Buffer };

const le = (bytes: number, value: number): Buffer => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value, 0, bytes);
  return buffer;
};
const join = (...parts: (Buffer | string | number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part as Buffer))));

/** A key frame of VP8 of one pixel (RFC 6386). */
const vp8Frame = Buffer.from("MAEAnQEqAQABAA7A/iWkAANwAAAAAA==", "base64");

const gif = Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64");
const webp = join("RIFF", le(4, 12 + vp8Frame.length), "WEBPVP8 ", le(4, vp8Frame.length), vp8Frame);

/** Three frames of silence: MPEG-1, layer III, 128 kbit/s, 44.1 kHz. */
const mp3 = Buffer.concat([1, 2, 3].map(() => join([0xff, 0xfb, 0x90, 0x64], Buffer.alloc(413))));

/** Opus in Ogg (RFC 7845): its two headers, and a frame of silence. */
const ogg = join(
  oggPage({ number: 0, flags: 2, position: 0 }, join("OpusHead", [1, 1], le(2, 312), le(4, 48_000), le(2, 0), [0])),
  oggPage({ number: 1, flags: 0, position: 0 }, join("OpusTags", le(4, 5), "suite", le(4, 0))),
  oggPage({ number: 2, flags: 4, position: 960 }, join([0xf8, 0xff, 0xfe])),
);

/** One frame of VP8 in WebM (RFC 9559). */
const webm = join(
  element(
    0x1a45dfa3,
    element(0x4286, [1]),
    element(0x42f7, [1]),
    element(0x42f2, [4]),
    element(0x42f3, [8]),
    element(0x4282, "webm"),
    element(0x4287, [2]),
    element(0x4285, [2]),
  ),
  element(
    0x18538067,
    element(0x1549a966, element(0x2ad7b1, [0x0f, 0x42, 0x40]), element(0x4d80, "suite"), element(0x5741, "suite")),
    element(
      0x1654ae6b,
      element(
        0xae,
        element(0xd7, [1]),
        element(0x73c5, [1]),
        element(0x83, [1]),
        element(0x86, "V_VP8"),
        element(0xe0, element(0xb0, [1]), element(0xba, [1])),
      ),
    ),
    element(0x1f43b675, element(0xe7, [0]), element(0xa3, join([0x81, 0, 0, 0x80], vp8Frame))),
  ),
);

/** A grey pixel of baseline JPEG (ITU-T T.81), whose codes have one bit each. */
const jpeg = join(
  [0xff, 0xd8],
  [0xff, 0xdb, 0, 67, 0],
  Buffer.alloc(64, 1),
  [0xff, 0xc0, 0, 11, 8, 0, 1, 0, 1, 1, 1, 0x11, 0],
  ...[0, 0x10].map((kind) => [0xff, 0xc4, 0, 20, kind, 1, ...Array.from({ length: 15 }, () => 0), 0]),
  [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0, 0x3f],
  [0xff, 0xd9],
);

const be = (value: number): number[] => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
const unity = [...be(0x10000), ...be(0), ...be(0), ...be(0), ...be(0x10000), ...be(0), ...be(0), ...be(0), ...be(0x40000000)];
/** Frames of silence in AAC-LC of one channel. */
const aacFrames = Array.from({ length: 4 }, () => [0x00, 0xc8, 0x00, 0x80, 0x23, 0x80]);
const [rate, duration] = [44_100, 4 * 1_024];
/** AAC-LC, 44.1 kHz, one channel. */
const esds = box("esds", be(0), [3, 25, 0, 1, 0, 4, 17, 0x40, 0x15, 0, 0, 0], be(64_000), be(64_000), [5, 2, 0x12, 0x08, 6, 1, 2]);
const m4aHead = box("ftyp", "M4A ", be(0), "M4A mp42isom");

/** AAC in M4A (ISO/IEC 14496-12 and -14). `at`: where the frames begin. */
const m4aMovie = (at: number): Buffer =>
  box(
    "moov",
    box("mvhd", be(0), be(0), be(0), be(rate), be(duration), be(0x10000), [1, 0, 0, 0], be(0), be(0), unity, Buffer.alloc(24), be(2)),
    box(
      "trak",
      box("tkhd", be(7), be(0), be(0), be(1), be(0), be(duration), be(0), be(0), be(0), [1, 0, 0, 0], unity, be(0), be(0)),
      box(
        "mdia",
        box("mdhd", be(0), be(0), be(0), be(rate), be(duration), [0x55, 0xc4, 0, 0]),
        box("hdlr", be(0), be(0), "soun", be(0), be(0), be(0), "suite\0"),
        box(
          "minf",
          box("smhd", be(0), be(0)),
          box("dinf", box("dref", be(0), be(1), box("url ", be(1)))),
          box(
            "stbl",
            box("stsd", be(0), be(1), box("mp4a", be(0), [0, 0, 0, 1], be(0), be(0), [0, 1, 0, 16], be(0), be(rate * 0x10000), esds)),
            box("stts", be(0), be(1), be(aacFrames.length), be(1_024)),
            box("stsc", be(0), be(1), be(1), be(aacFrames.length), be(1)),
            box("stsz", be(0), be(6), be(aacFrames.length)),
            box("stco", be(0), be(1), be(at)),
          ),
        ),
      ),
    ),
  );
const m4a = join(m4aHead, m4aMovie(m4aHead.length + m4aMovie(0).length + 8), box("mdat", ...aacFrames));

const image = (type: string, bytes: Buffer): Media => ({ type, kind: "image", width: 1, height: 1, bytes });
const sound = (type: string, bytes: Buffer): Media => ({ type, kind: "sound", width: null, height: null, bytes });

/** A file of each type. */
export const media: readonly Media[] = [
  image("image/jpeg", jpeg),
  image("image/png", pngOf(1, 1)),
  image("image/gif", gif),
  image("image/webp", webp),
  image("video/webm", webm),
  sound("audio/wav", Buffer.from(smallestFile, "latin1")),
  sound("audio/mpeg", mp3),
  sound("audio/mp4", m4a),
  sound("audio/ogg", ogg),
];

type Page = { number: number; flags: number; position: number };

/** A page of Ogg with one packet (RFC 3533 6). */
function oggPage({ number, flags, position }: Page, packet: Buffer): Buffer {
  const page = join("OggS", [0, flags], le(4, position), le(4, 0), le(4, 7), le(4, number), le(4, 0), [1, packet.length], packet);
  page.writeUInt32LE(oggChecksum(page), 22);
  return page;
}

/** CRC-32 with the polynomial 0x04c11db7, not reflected, beginning with 0. */
function oggChecksum(bytes: Buffer): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) sum = sum & 0x80000000 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  }
  return sum >>> 0;
}

/** An element of EBML (RFC 8794) with a size of four bytes. */
function element(id: number, ...data: (Buffer | string | number[])[]): Buffer {
  const hex = id.toString(16);
  const content = join(...data);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(0x10000000 + content.length);
  return join(Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex"), size, content);
}

/** A box of ISO/IEC 14496-12. */
function box(type: string, ...parts: (Buffer | string | number[])[]): Buffer {
  const content = join(type, ...parts);
  return join(be(content.length + 4), content);
}
