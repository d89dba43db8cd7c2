import fc from "fast-check";
import { expect, test } from "vitest";
import { makeWav } from "./testing.ts";
import { repairLengths, wavDurationMs } from "./wav.ts";

test("a WAV file's duration is read from its header", () => {
  expect(wavDurationMs(makeWav({ seconds: 1.5 }))).toBe(1_500);
  expect(wavDurationMs(makeWav({ seconds: 0 }))).toBe(0);
});

test("chunks before the audio are skipped, an odd one with its padding", () => {
  const plain = makeWav({ seconds: 1 });
  const list = Buffer.from("LIST\x03\0\0\0abc\0", "latin1");
  expect(wavDurationMs(Buffer.concat([plain.subarray(0, 12), list, plain.subarray(12)]))).toBe(1_000);
});

test("a length beyond the end of the file is ignored, and is corrected in the header", () => {
  const piped = makeWav({ seconds: 1 });
  piped.writeUInt32LE(0x7ffff024, 4);
  piped.writeUInt32LE(0x7ffff000, 40);
  expect(wavDurationMs(piped)).toBe(1_000);
  expect(repairLengths(piped)).toEqual(makeWav({ seconds: 1 }));
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["MP3", Buffer.from("ID3\x04\0\0\0\0\0\0")],
  ["Ogg", Buffer.from("OggS\0\x02")],
  ["a WAV without audio", makeWav({ seconds: 1 }).subarray(0, 36)],
  [
    "a WAV of one byte per second, which would play for hours",
    Buffer.from(makeWav({ seconds: 1 }))
      .fill(0, 28, 32)
      .fill(1, 28, 29),
  ],
  ["a WAV of no bytes per second", Buffer.from(makeWav({ seconds: 1 })).fill(0, 28, 32)],
])("the duration of %s is unknown", (_, bytes) => {
  expect(wavDurationMs(bytes)).toBeNull();
});

test("broken files never throw", () => {
  const broken = fc.tuple(fc.uint8Array({ maxLength: 80 }), fc.nat(60)).map(([noise, at]) => {
    const bytes = makeWav({ seconds: 0.01 });
    bytes.set(noise, at);
    return bytes.subarray(0, at + noise.length + 20);
  });
  fc.assert(
    fc.property(broken, (bytes) => {
      expect(wavDurationMs(bytes) ?? 0).toBeGreaterThanOrEqual(0);
      expect(repairLengths(bytes)).toHaveLength(bytes.length);
    }),
  );
});
