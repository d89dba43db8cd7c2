import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { enumOf } from "../../http/contract/published.ts";
import { alertFontNames } from "../../ui/alert-fonts.ts";
import { libraryFiles } from "../overlay-files.ts";
import { librarySounds, makeChime, makeLibrarySound, soundBytes } from "./sounds.ts";

const rate = 24_000;
const sounds = [["chime", makeChime()] as const, ...librarySounds.map((name) => [name, makeLibrarySound(name)] as const)];
const samplesOf = (wave: Buffer) => Array.from({ length: (wave.length - 44) / 2 }, (_, index) => wave.readInt16LE(44 + 2 * index) / 32_768);

test("the library has a picture and a sound for each name of the contract, and no others", () => {
  const names = [...enumOf("LibraryImage").map((name) => `${name}.svg`), ...enumOf("LibrarySound").map((name) => `${name}.wav`)];
  expect([...libraryFiles().keys()].sort()).toEqual(names.sort());
  expect([...alertFontNames].sort()).toEqual([...enumOf("AlertFont")].sort());
});

test.each(sounds)("the sound %s is a WAV file of less than 120 kB, whose header says its size", (name, wave) => {
  expect([wave.subarray(0, 4).toString(), wave.readUInt32LE(4), wave.readUInt32LE(24), wave.readUInt32LE(40)]).toEqual([
    ...["RIFF", wave.length - 8, rate, wave.length - 44],
  ]);
  if (name !== "chime") expect(wave.length).toBe(soundBytes(name));
  expect(wave.length).toBeLessThan(120_000);
});

test.each(sounds)("the sound %s begins and ends in silence, is never overdriven, and has no constant part", (_, wave) => {
  const samples = samplesOf(wave);
  const highest = (part: readonly number[]) => Math.max(...part.map(Math.abs));
  expect(highest(samples.slice(0, 3))).toBeLessThan(0.01);
  expect(highest(samples.slice(-3))).toBeLessThan(0.002);
  expect(highest(samples)).toBeLessThan(0.81);
  expect(Math.abs(samples.reduce((sum, one) => sum + one, 0) / samples.length)).toBeLessThan(0.002);
});

// ITU-R BS.1770-4 at 48 kHz, of which a sound of 24 kHz has each sample twice.
const shelf = { b: [1.53512485958697, -2.69169618940638, 1.19839281085285], a: [-1.69065929318241, 0.73248077421585] } as const;
const highPass = { b: [1, -2, 1], a: [-1.99004745483398, 0.99007225036621] } as const;

function filtered(samples: Float64Array, { b, a }: typeof shelf | typeof highPass): Float64Array {
  const out = new Float64Array(samples.length);
  const at = (all: Float64Array, index: number) => all[index] ?? 0;
  for (let i = 0; i < samples.length; i += 1)
    out[i] = b[0] * at(samples, i) + b[1] * at(samples, i - 1) + b[2] * at(samples, i - 2) - a[0] * at(out, i - 1) - a[1] * at(out, i - 2);
  return out;
}

/** The highest momentary loudness, in LUFS. */
function loudnessOf(wave: Buffer): number {
  const samples = samplesOf(wave);
  const padded = Float64Array.from({ length: 2 * samples.length + 19_200 }, (_, index) => samples[index >> 1] ?? 0);
  const weighted = filtered(filtered(padded, shelf), highPass);
  let highest = 0;
  for (let start = 0; start + 19_200 <= weighted.length; start += 4_800)
    highest = Math.max(highest, weighted.subarray(start, start + 19_200).reduce((sum, one) => sum + one ** 2, 0) / 19_200);
  return -0.691 + 10 * Math.log10(highest);
}

test.each(sounds)("the sound %s is as loud as the others: between -18 and -13 LUFS in its loudest 0.4 s", (_, wave) => {
  const loudness = loudnessOf(wave);
  expect([loudness > -18, loudness < -13], String(loudness)).toEqual([true, true]);
});

const pictures = new URL("pictures/", import.meta.url);

test.each(readdirSync(pictures))(
  "the picture %s is small, has a title, moves only for who wants motion, and refers to nothing outside",
  (file) => {
    const text = readFileSync(new URL(file, pictures), "utf8");
    expect(text.length).toBeLessThan(4_000);
    expect(text).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="512" height="512" [^>]*>\n<title>[^<]+<\/title>/);
    expect(text.replace(/@media \(prefers-reduced-motion:no-preference\)\{[\s\S]*?\n\}\n/, "")).not.toMatch(/animation:/);
    expect(text.replace("http://www.w3.org/2000/svg", "")).not.toMatch(/https?:|<script|<foreignObject|url\((?!#)|href="(?!#)/);
  },
);
