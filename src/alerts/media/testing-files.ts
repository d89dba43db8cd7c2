// Makes small files of every type that is accepted.

import { crc32, deflateSync } from "node:zlib";

const le16 = (value: number) => Buffer.from([value & 255, value >> 8]);
const le24 = (value: number) => Buffer.from([value & 255, (value >> 8) & 255, value >> 16]);
const le32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const be32 = (value: number) => Buffer.from(le32(value)).reverse();
const latin = (text: string) => Buffer.from(text, "latin1");
const join = (...parts: (Buffer | string)[]) => Buffer.concat(parts.map((part) => (typeof part === "string" ? latin(part) : part)));

export function pngChunk(type: string, data: Buffer = Buffer.alloc(0)): Buffer {
  const content = join(type, data);
  return join(be32(data.length), content, be32(crc32(content)));
}

const pngStart = latin("\x89PNG\r\n\x1a\n");
const header = (width: number, height: number) => pngChunk("IHDR", join(be32(width), be32(height), Buffer.from([8, 2, 0, 0, 0])));

/** One colour, `#ff2e63`. `says`: the size that the header names, when it is another. `extra`: chunks before the pixels. */
export function png(width = 8, height = 8, { says = [width, height], extra = [] as Buffer[] } = {}): Buffer {
  const row = join(Buffer.alloc(1), Buffer.concat(Array.from({ length: width }, () => Buffer.from([0xff, 0x2e, 0x63]))));
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  return join(pngStart, header(says[0] as number, says[1] as number), ...extra, pngChunk("IDAT", pixels), pngChunk("IEND"));
}

/** `chunks` in place of all that follow the header. */
export const pngOf = (...chunks: Buffer[]) => join(pngStart, ...chunks);
export const pngHeader = header;

const gifFrame = (left: number, width: number, height: number) =>
  join(",", le16(left), le16(0), le16(width), le16(height), Buffer.from([0, 2, 2, 0x44, 0x01, 0]));

export function gif(width = 2, height = 2, { frames = 1, left = 0, extra = Buffer.alloc(0) as Buffer } = {}): Buffer {
  const screen = join("GIF89a", le16(width), le16(height), Buffer.from([0x80, 0, 0]), Buffer.from([255, 0, 0, 0, 0, 255]));
  return join(screen, extra, ...Array.from({ length: frames }, () => gifFrame(left, width, height)), ";");
}

export function riff(form: string, ...chunks: [type: string, data: Buffer][]): Buffer {
  const body = join(form, ...chunks.map(([type, data]) => join(type, le32(data.length), data, Buffer.alloc(data.length % 2))));
  return join("RIFF", le32(body.length), body);
}

export const vp8l = (width: number, height: number): [string, Buffer] => [
  "VP8L",
  join(Buffer.from([0x2f]), le32(((width - 1) | ((height - 1) << 14)) >>> 0), Buffer.alloc(6)),
];
export const vp8x = (width: number, height: number): [string, Buffer] => ["VP8X", join(Buffer.alloc(4), le24(width - 1), le24(height - 1))];
export const webp = (width = 16, height = 16): Buffer => riff("WEBP", vp8l(width, height));

/** A tone of 440 Hz. */
export function wav(seconds = 0.1, { coding = 1, channels = 1, rate = 8_000 } = {}): Buffer {
  const data = Buffer.alloc(Math.round(seconds * rate) * 2);
  for (let i = 0; i * 2 < data.length; i += 1) data.writeInt16LE(Math.round(9_000 * Math.sin((2 * Math.PI * 440 * i) / rate)), i * 2);
  const format = join(le16(coding), le16(channels), le32(rate), le32(rate * 2 * channels), le16(2 * channels), le16(16));
  return riff("WAVE", ["fmt ", format], ["data", data]);
}

/** Frames of silence: MPEG-1, layer III, 128 kbit/s, 44.1 kHz. */
export const mp3 = (frames = 4): Buffer =>
  Buffer.concat(Array.from({ length: frames }, () => join(Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(413))));
export const id3 = (data: Buffer): Buffer => join("ID3", Buffer.from([4, 0, 0, 0, 0, data.length >> 7, data.length & 127]), data);

export function oggPage(packet: Buffer, { serial = 7, version = 0 } = {}): Buffer {
  return join("OggS", Buffer.from([version, 2]), Buffer.alloc(8), le32(serial), Buffer.alloc(8), Buffer.from([1, packet.length]), packet);
}
export const ogg = (name = "OpusHead"): Buffer => join(oggPage(join(name, Buffer.alloc(11))), oggPage(latin("OpusTags")));

/** An element of EBML; a size of null is unknown. */
export function element(id: number, data: Buffer | string, size: number | null = data.length): Buffer {
  const hex = id.toString(16);
  const length = size === null ? Buffer.from([0xff]) : be32((0x10000000 | size) >>> 0);
  return join(Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex"), length, data);
}

export function webm(
  width = 64,
  height = 48,
  { docType = "webm", codec = "V_VP9", isOpen = false, extra = Buffer.alloc(0) as Buffer } = {},
): Buffer {
  const video = element(
    0xe0,
    join(element(0xb0, Buffer.from([width >> 8, width & 255])), element(0xba, Buffer.from([height >> 8, height & 255]))),
  );
  const tracks = element(0x1654ae6b, element(0xae, join(element(0x86, codec), video)));
  const cluster = element(0x1f43b675, element(0xa3, Buffer.alloc(8)), isOpen ? null : undefined);
  const body = join(tracks, extra, cluster);
  return join(element(0x1a45dfa3, element(0x4282, docType)), element(0x18538067, body, isOpen ? null : undefined));
}

const be16 = (value: number) => Buffer.from([value >> 8, value & 255]);
const segment = (marker: number, data: Buffer) => join(Buffer.from([0xff, marker]), be16(data.length + 2), data);

/** Grey, of one component. `extra`: segments before the frame. `scans`: how often the picture is coded. */
export function jpeg(width = 8, height = 8, { frame = 0xc0, scans = 1, extra = [] as Buffer[] } = {}): Buffer {
  const table = segment(0xdb, join(Buffer.from([0]), Buffer.alloc(64, 1)));
  const start = segment(frame, join(Buffer.from([8]), be16(height), be16(width), Buffer.from([1, 1, 0x11, 0])));
  const code = (kind: number) => segment(0xc4, Buffer.from([kind, 1, ...Array.from({ length: 15 }, () => 0), 0]));
  const scan = join(segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])), Buffer.from([0x3f, 0xff, 0, 0x3f]));
  const end = Buffer.from([0xff, 0xd9]);
  return join(Buffer.from([0xff, 0xd8]), ...extra, table, start, code(0), code(0x10), ...Array.from({ length: scans }, () => scan), end);
}
export const jpegSegment = segment;

export const box = (type: string, ...parts: (Buffer | string)[]): Buffer => {
  const content = join(type, ...parts);
  return join(be32(content.length + 4), content);
};

/** `tracks`: the handler and the codec of each. `extra`: boxes before the sound. */
export function m4a({
  brand = "M4A ",
  tracks = [["soun", "mp4a"]] as [handler: string, codec: string][],
  extra = Buffer.alloc(0) as Buffer,
  /** At the end of each track's media. */
  inMedia = Buffer.alloc(0) as Buffer,
} = {}): Buffer {
  const track = ([handler, codec]: [string, string]) => {
    const description = box("stsd", Buffer.alloc(4), be32(1), box(codec, Buffer.alloc(28)));
    return box(
      "trak",
      box("mdia", box("hdlr", Buffer.alloc(8), handler, Buffer.alloc(13)), box("minf", box("stbl", description)), inMedia),
    );
  };
  return join(
    box("ftyp", brand, be32(0)),
    box("moov", box("mvhd", Buffer.alloc(100)), ...tracks.map(track)),
    extra,
    box("mdat", Buffer.alloc(6)),
  );
}
