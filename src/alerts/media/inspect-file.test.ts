import { expect, test } from "vitest";
import { costInLoops } from "../../base/testing-cost.ts";
import { inspectFile } from "./inspect-file.ts";
import {
  box,
  element,
  gif,
  id3,
  jpeg,
  jpegSegment,
  m4a,
  mp3,
  ogg,
  oggPage,
  png,
  pngChunk,
  pngHeader,
  pngOf,
  riff,
  vp8l,
  vp8x,
  wav,
  webm,
  webp,
} from "./testing-files.ts";

const text = (written: string) => Buffer.from(written, "latin1");
const script = "<script>alert(document.cookie)</script>";
const zip = text(`PK\x03\x04${"\0".repeat(26)}PK\x05\x06${"\0".repeat(18)}`);

const accepted: [what: string, bytes: Buffer, expected: object][] = [
  ["PNG", png(8, 4), { kind: "image", mime: "image/png", width: 8, height: 4 }],
  ["PNG with a comment", png(8, 4, { extra: [pngChunk("tEXt", text("Comment\0a < b"))] }), { mime: "image/png" }],
  ["GIF", gif(3, 2, { frames: 2 }), { kind: "image", mime: "image/gif", width: 3, height: 2 }],
  ["WebP", webp(300, 200), { kind: "image", mime: "image/webp", width: 300, height: 200 }],
  ["WebP with a canvas", riff("WEBP", vp8x(400, 300), vp8l(400, 300)), { width: 400, height: 300 }],
  ["WebM", webm(640, 360), { kind: "image", mime: "video/webm", width: 640, height: 360 }],
  ["WebM of a recorder, whose sizes are unknown", webm(640, 360, { isOpen: true }), { width: 640 }],
  ["WAV", wav(), { kind: "sound", mime: "audio/wav", width: null, height: null }],
  ["MP3", mp3(), { kind: "sound", mime: "audio/mpeg", width: null, height: null }],
  ["MP3 with tags at both ends", Buffer.concat([id3(text("TIT2")), mp3(), text(`TAG${"\0".repeat(125)}`)]), { mime: "audio/mpeg" }],
  ["MP3 whose last frame is cut off", mp3(4).subarray(0, -100), { mime: "audio/mpeg" }],
  ["JPEG", jpeg(300, 200), { kind: "image", mime: "image/jpeg", width: 300, height: 200 }],
  [
    "progressive JPEG with metadata",
    jpeg(30, 20, { frame: 0xc2, scans: 10, extra: [jpegSegment(0xe1, text("Exif\0\0 a < b"))] }),
    { width: 30 },
  ],
  ["JPEG of a phone, with a second picture behind it", Buffer.concat([jpeg(40, 30), text("\0\0"), jpeg(4, 3)]), { width: 40, height: 30 }],
  ["M4A", m4a(), { kind: "sound", mime: "audio/mp4", width: null, height: null }],
  [
    "M4A of a recorder, with chapters",
    m4a({
      brand: "isom",
      tracks: [
        ["soun", "Opus"],
        ["text", "text"],
      ],
    }),
    { mime: "audio/mp4" },
  ],
  ["Ogg with Opus", ogg(), { kind: "sound", mime: "audio/ogg", width: null, height: null }],
  ["Ogg with Vorbis", ogg("\x01vorbis"), { mime: "audio/ogg" }],
];

test.each(accepted)("the type of a file is detected from its content: %s", (_, bytes, expected) =>
  expect(inspectFile(bytes)).toMatchObject(expected),
);

const with32 = (bytes: Buffer, at: number, value: number) => {
  const changed = Buffer.from(bytes);
  changed.writeUInt32BE(value, at);
  return changed;
};

const repeated = (part: Buffer, count: number) => Buffer.alloc(part.length * count, part);

const hostile: [what: string, bytes: Buffer, refused: string][] = [
  ["an empty file", Buffer.alloc(0), "empty"],
  ["one byte", text("x"), "unsupported"],
  ["SVG", text('<svg xmlns="http://www.w3.org/2000/svg"/>'), "unsupported"],
  ["SVG with a script", text(`<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`), "unsupported"],
  ["SVG behind a byte order mark", text(`\xef\xbb\xbf<?xml version="1.0"?><svg>${script}</svg>`), "unsupported"],
  ["compressed SVG", text("\x1f\x8b\x08\0\0\0\0\0"), "unsupported"],
  ["HTML", text(`<!doctype html>${script}`), "unsupported"],
  ["HTML behind blanks", text(`\n\n   <html>${script}`), "unsupported"],
  ["JavaScript", text("alert(1)"), "unsupported"],
  ["a program of Windows", text("MZ\x90\0"), "unsupported"],
  ["a program of Linux", text("\x7fELF"), "unsupported"],
  ["a ZIP file", zip, "unsupported"],
  ["PDF", text("%PDF-1.7\n"), "unsupported"],
  ["Flash", text("CWS\x09"), "unsupported"],
  ["the signature of JPEG alone", text("\xff\xd8\xff"), "broken"],
  ["JPEG that is cut off", jpeg().subarray(0, -3), "broken"],
  ["JPEG with HTML behind it", Buffer.concat([jpeg(), text(script)]), "broken"],
  ["JPEG with a ZIP file behind it", Buffer.concat([jpeg(), zip]), "broken"],
  ["JPEG with half a picture behind it", Buffer.concat([jpeg(), jpeg().subarray(0, 90)]), "broken"],
  ["JPEG of eleven pictures", repeated(jpeg(), 11), "broken"],
  ["JPEG with a script in a comment", jpeg(8, 8, { extra: [jpegSegment(0xfe, text(script))] }), "active_content"],
  ["JPEG of 9,000 × 9,000 pixels", jpeg(9_000, 9_000), "too_many_pixels"],
  ["JPEG of 65,535 × 1 pixels", jpeg(65_535, 1), "too_many_pixels"],
  ["JPEG of no height", jpeg(8, 0), "broken"],
  ["JPEG without a picture", jpeg(8, 8, { scans: 0 }), "broken"],
  ["JPEG of 101 scans", jpeg(8, 8, { frame: 0xc2, scans: 101 }), "broken"],
  ["JPEG in a code that no browser reads", jpeg(8, 8, { frame: 0xc9 }), "broken"],
  ["JPEG with two frames", jpeg(8, 8, { extra: [jpegSegment(0xc0, Buffer.from([8, 0, 8, 0, 8, 1, 1, 0x11, 0]))] }), "broken"],
  ["JPEG with a segment longer than the file", with32(jpeg(), 2, 0xffdbffff), "broken"],
  ["JPEG with a segment of no length", with32(jpeg(), 2, 0xffdb0000), "broken"],
  ["JPEG that is JavaScript", text("\xff\xd8\xff\xe0/*\0\x10JFIF*/=alert(1)"), "broken"],
  ["BMP", text("BM\0\0\0\0"), "unsupported"],
  ["ICO", text("\0\0\x01\0"), "unsupported"],
  ["MP4 that is cut off", text("\0\0\0\x18ftypisom"), "broken"],
  [
    "MP4 with a film",
    m4a({
      brand: "isom",
      tracks: [
        ["soun", "mp4a"],
        ["vide", "avc1"],
      ],
    }),
    "unsupported",
  ],
  ["HEIC", m4a({ brand: "heic" }), "unsupported"],
  ["M4A in a code that no browser plays", m4a({ tracks: [["soun", "alac"]] }), "unsupported"],
  ["M4A without a track", m4a({ tracks: [] }), "broken"],
  ["M4A that is cut off", m4a().subarray(0, -3), "broken"],
  ["M4A with HTML behind it", Buffer.concat([m4a(), text(script)]), "broken"],
  ["M4A with a ZIP file behind it", Buffer.concat([m4a(), zip]), "broken"],
  ["M4A with a script in its metadata", m4a({ extra: box("udta", script) }), "active_content"],
  ["M4A with an unknown box", m4a({ extra: box("HTML", "x") }), "broken"],
  ["M4A with a box of 2⁶⁴ bytes", m4a({ extra: text("\0\0\0\x01free\xff\xff\xff\xff\xff\xff\xff\xff") }), "broken"],
  ["M4A with a box shorter than its head", m4a({ extra: text("\0\0\0\x04free") }), "broken"],
  ["AAC frames", text("\xff\xf1\x50\x80"), "unsupported"],
  ["AVI", riff("AVI ", ["LIST", Buffer.alloc(4)]), "unsupported"],
  ["the signature of PNG alone", png().subarray(0, 8), "broken"],
  ["PNG that is cut off", png().subarray(0, -6), "broken"],
  ["PNG with HTML behind it", Buffer.concat([png(), text(script)]), "broken"],
  ["PNG with a ZIP file behind it", Buffer.concat([png(), zip]), "broken"],
  ["PNG with one byte behind it", Buffer.concat([png(), text("\0")]), "broken"],
  ["PNG with a script in a comment", png(8, 8, { extra: [pngChunk("tEXt", text(`Comment\0${script}`))] }), "active_content"],
  ["PNG with PHP in a comment", png(8, 8, { extra: [pngChunk("tEXt", text("C\0<?php system($_GET[0]);"))] }), "active_content"],
  ["PNG with a wrong checksum", with32(png(), 29, 0), "broken"],
  ["PNG with a chunk longer than the file", with32(png(), 8, 0xffffffff), "broken"],
  ["PNG without pixels", pngOf(pngHeader(1, 1), pngChunk("IEND")), "broken"],
  ["PNG without a header", pngOf(pngChunk("IDAT"), pngChunk("IEND")), "broken"],
  ["PNG with two headers", pngOf(pngHeader(1, 1), pngHeader(9_999, 9_999), pngChunk("IDAT"), pngChunk("IEND")), "broken"],
  ["PNG with an unknown critical chunk", png(8, 8, { extra: [pngChunk("EVIL")] }), "broken"],
  ["PNG of no width", png(8, 8, { says: [0, 8] }), "broken"],
  ["PNG of 65,535 × 65,535 pixels in 100 bytes", png(8, 8, { says: [65_535, 65_535] }), "too_many_pixels"],
  ["PNG of 4,097 × 4,096 pixels", png(8, 8, { says: [4_097, 4_096] }), "too_many_pixels"],
  ["PNG of 8,193 × 1 pixels", png(8, 8, { says: [8_193, 1] }), "too_many_pixels"],
  ["PNG of 2,001 frames", png(1, 1, { extra: Array.from({ length: 2_001 }, () => pngChunk("fcTL")) }), "too_many_pixels"],
  ["the signature of GIF alone", text("GIF89a"), "broken"],
  ["GIF that is JavaScript: GIF89a=1;", text(`GIF89a=1;alert(1)//${"\0".repeat(40)}`), "broken"],
  ["GIF that is JavaScript: a comment in its size", text(`GIF89a/*${"\0".repeat(40)}*/=alert(1)`), "broken"],
  ["GIF with HTML behind it", Buffer.concat([gif(), text(script)]), "broken"],
  ["GIF with a script in a comment", gif(2, 2, { extra: text(`!\xfe${String.fromCharCode(script.length)}${script}\0`) }), "active_content"],
  ["GIF without a picture", gif(2, 2, { frames: 0 }), "broken"],
  ["GIF with a frame beside its screen", gif(2, 2, { left: 1 }), "broken"],
  ["GIF of 65,535 × 65,535 pixels", gif(65_535, 65_535), "too_many_pixels"],
  ["GIF of 2,001 frames", gif(1, 1, { frames: 2_001 }), "too_many_pixels"],
  ["WebP whose size is not the file's", Buffer.concat([webp(), text(script)]), "broken"],
  ["WebP of 16,384 × 16,384 pixels", webp(16_384, 16_384), "too_many_pixels"],
  ["WebP whose canvas is too large", riff("WEBP", vp8x(16_000_000, 2), vp8l(8, 2)), "too_many_pixels"],
  ["WebP whose picture is larger than its canvas", riff("WEBP", vp8x(8, 8), vp8l(9_000, 9_000)), "broken"],
  ["WebP with an unknown chunk", riff("WEBP", vp8l(8, 8), ["HTML", text(script)]), "broken"],
  ["WebP without a picture", riff("WEBP", vp8x(8, 8)), "broken"],
  ["WebP with a script in its metadata", riff("WEBP", vp8x(8, 8), vp8l(8, 8), ["XMP ", text(script)]), "active_content"],
  ["Matroska", webm(64, 48, { docType: "matroska" }), "unsupported"],
  ["WebM with a codec that is none", webm(64, 48, { codec: "V_MPEG4" }), "unsupported"],
  ["WebM of 9,000 × 9,000 pixels", webm(9_000, 9_000), "too_many_pixels"],
  ["WebM of no height", webm(64, 0), "broken"],
  ["WebM with HTML behind it", Buffer.concat([webm(), text(script)]), "broken"],
  ["WebM with an attached file", webm(64, 48, { extra: element(0x1941a469, text(script)) }), "broken"],
  ["WebM with an element longer than the file", element(0x1a45dfa3, "x", 0xfffffff), "broken"],
  ["WAV without sound", riff("WAVE", ["fmt ", Buffer.alloc(16)]), "broken"],
  ["WAV with MP3 in it", wav(0.1, { coding: 0x55 }), "broken"],
  ["WAV of 0 channels", wav(0.1, { channels: 0 }), "broken"],
  ["WAV with HTML behind it", Buffer.concat([wav(), text(script)]), "broken"],
  ["the first frame of an MP3 and then HTML", Buffer.concat([mp3(2), text(script.repeat(20))]), "broken"],
  ["MP3 with a script in its tag", Buffer.concat([id3(text(script)), mp3()]), "active_content"],
  ["a tag of MP3 without sound", id3(text("TIT2")), "broken"],
  ["a tag of MP3 longer than the file", Buffer.concat([text("ID3\x04\0\0\x7f\x7f\x7f\x7f"), mp3()]), "broken"],
  ["Ogg with a film", ogg("\x80theora"), "unsupported"],
  ["Ogg with a second stream", Buffer.concat([ogg(), oggPage(text("\x80theora"), { serial: 8 })]), "unsupported"],
  ["Ogg with HTML behind it", Buffer.concat([ogg(), text(script)]), "broken"],
  ["Ogg of an unknown version", Buffer.concat([ogg(), oggPage(text("x"), { version: 1 })]), "broken"],
];

test.each(hostile)("a hostile file is refused with its reason: %s", (_, bytes, refused) => expect(inspectFile(bytes)).toEqual({ refused }));

test.each(accepted)("no beginning of a valid file makes the inspection throw: %s", (_, bytes) => {
  for (let length = 0; length < Math.min(bytes.length, 600); length += 1) inspectFile(bytes.subarray(0, length));
});

const empty = Buffer.alloc(0);
const voids = element(0xec, empty);
const page = oggPage(text("OpusHead"));
const riffOf = (form: string, chunk: Buffer) => {
  const file = Buffer.concat([text(`RIFF....${form}`), repeated(chunk, 1_300_000)]);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
};

test.each([
  ["a GIF whose header is repeated", () => Buffer.alloc(10_000_000, "GIF89a")],
  ["a GIF of one-byte blocks", () => gif(2, 2, { extra: Buffer.concat([text("!\xfe"), repeated(text("\x01a"), 5_000_000), text("\0")]) })],
  ["a PNG of empty chunks", () => png(8, 4, { extra: [repeated(pngChunk("tEXt"), 800_000)] })],
  ["a PNG of zeros", () => Buffer.concat([png().subarray(0, 33), Buffer.alloc(10_000_000)])],
  ["a WebP of empty chunks", () => riffOf("WEBP", text("EXIF\0\0\0\0"))],
  ["a WAV of empty chunks", () => riffOf("WAVE", text("LIST\0\0\0\0"))],
  ["a WebM of empty elements", () => webm(64, 48, { extra: repeated(voids, 2_000_000) })],
  [
    "a WebM of 900 tracks of empty elements",
    () => {
      const track = element(0xae, repeated(voids, 2_000));
      const segment = Buffer.concat([element(0x1654ae6b, repeated(track, 900)), element(0x1f43b675, empty)]);
      return Buffer.concat([element(0x1a45dfa3, element(0x4282, "webm")), element(0x18538067, segment)]);
    },
  ],
  ["an MP3 of empty tags", () => Buffer.concat([repeated(id3(empty), 1_000_000), mp3()])],
  ["an MP3 of 25,000 frames", () => mp3(25_000)],
  ["an Ogg of 300,000 pages", () => repeated(page, 300_000)],
  ["a JPEG of padding", () => Buffer.concat([jpeg().subarray(0, 2), Buffer.alloc(10_000_000, 0xff)])],
  ["a JPEG of one long scan", () => Buffer.concat([jpeg().subarray(0, -2), repeated(text("\xff\0"), 5_000_000), text("\xff\xd9")])],
  ["a JPEG of empty segments", () => jpeg(8, 8, { extra: [repeated(jpegSegment(0xfe, empty), 2_500_000)] })],
  ["an M4A of empty boxes", () => m4a({ extra: repeated(box("free"), 1_250_000) })],
  ["an M4A of 19,000 tracks", () => m4a({ tracks: Array.from({ length: 19_000 }, () => ["soun", "mp4a"] as [string, string]) })],
  [
    "an M4A of 65 tracks of 19,000 empty boxes",
    () => m4a({ tracks: Array(65).fill(["soun", "mp4a"]), inMedia: repeated(box("free"), 19_000) }),
  ],
])("10 MiB are inspected without delay: %s", (_, make) => {
  const bytes = make();
  expect(costInLoops(() => inspectFile(bytes))).toBeLessThan(4);
});

test.each([
  ["a PNG", png(8, 4, { extra: [repeated(pngChunk("tEXt"), 20_000)] })],
  ["a WebP", riffOf("WEBP", text("EXIF\0\0\0\0"))],
  ["a WAV", riffOf("WAVE", text("LIST\0\0\0\0"))],
  ["an MP3", Buffer.concat([repeated(id3(empty), 11), mp3()])],
  ["a WebM", webm(64, 48, { extra: repeated(voids, 200_000) })],
  ["a JPEG", jpeg(8, 8, { extra: [repeated(jpegSegment(0xfe, empty), 20_000)] })],
  ["an M4A", m4a({ extra: repeated(box("free"), 20_000) })],
  ["an M4A, within a track", m4a({ inMedia: repeated(box("free"), 200) })],
])("a file with more parts than any real one has is refused: %s", (_, bytes) => expect(inspectFile(bytes)).toEqual({ refused: "broken" }));

test("a file in which bytes were changed, removed or repeated at random never makes the inspection throw", () => {
  const random = randomNumbers(1);
  for (const [, valid] of accepted)
    for (let round = 0; round < 300; round += 1) {
      const bytes = [...valid.subarray(0, 2_000)];
      for (let edit = random(4); edit >= 0; edit -= 1) {
        const at = random(bytes.length);
        const inserted = random(2) ? bytes.slice(at, at + random(40)) : Array.from({ length: random(3) }, () => random(256));
        bytes.splice(at, random(4), ...inserted);
      }
      inspectFile(Buffer.from(bytes));
    }
});

/** Pseudo-random whole numbers from 0 up to a bound, exclusive; the same for the same seed. */
function randomNumbers(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}
