// Synthesises the sounds of alerts: the chime, and those of the library (LibrarySound in spec/variations.tsp).

import type { Schemas } from "../../http/operations.ts";
import { add, glide, noise, type Partial, silence, strike, toWave, waveBytes } from "./wave.ts";

type Synthesis = Readonly<{ seconds: number; play: (samples: Float64Array) => void }>;

/** A bell's overtones: higher ones are weaker and decay faster. */
const bell: readonly Partial[] = [
  { ratio: 1, strength: 1, fades: 3.2 },
  { ratio: 2.001, strength: 0.42, fades: 5 },
  { ratio: 3.01, strength: 0.2, fades: 8 },
  { ratio: 5.4, strength: 0.09, fades: 14 },
];

/** The large bell of a temple hums an octave below its tone, with a minor third above it. */
const templeBell: readonly Partial[] = [
  { ratio: 0.5, strength: 0.5, fades: 1.3 },
  { ratio: 1, strength: 1, fades: 1.7 },
  { ratio: 1.006, strength: 0.5, fades: 1.6 }, // two tones that beat
  { ratio: 1.19, strength: 0.6, fades: 2.4 },
  { ratio: 1.5, strength: 0.3, fades: 3.1 },
  { ratio: 2, strength: 0.7, fades: 2.8 },
  { ratio: 2.74, strength: 0.35, fades: 5 },
  { ratio: 4.1, strength: 0.22, fades: 8 },
  { ratio: 5.9, strength: 0.12, fades: 14 },
];

const gong: readonly Partial[] = [
  { ratio: 1, strength: 1, fades: 1.2 },
  { ratio: 1.48, strength: 0.6, fades: 1.5 },
  { ratio: 1.97, strength: 0.7, fades: 1.5 },
  { ratio: 2.61, strength: 0.6, fades: 1.9 },
  { ratio: 3.12, strength: 0.5, fades: 2.2 },
  { ratio: 4.06, strength: 0.45, fades: 2.6 },
  { ratio: 5.33, strength: 0.35, fades: 3.4 },
  { ratio: 7.2, strength: 0.25, fades: 5 },
];

const coin: readonly Partial[] = [
  { ratio: 1, strength: 1, fades: 9 },
  { ratio: 1.51, strength: 0.7, fades: 11 },
  { ratio: 2.27, strength: 0.5, fades: 15 },
  { ratio: 3.4, strength: 0.25, fades: 22 },
];

/** A bar of hard wood. */
const wood: readonly Partial[] = [
  { ratio: 1, strength: 1, fades: 8 },
  { ratio: 2.76, strength: 0.3, fades: 18 },
  { ratio: 5.4, strength: 0.2, fades: 40 },
];

const glass: readonly Partial[] = [
  { ratio: 1, strength: 1, fades: 5.5 },
  { ratio: 2.4, strength: 0.25, fades: 9 },
];

/** Thai music has seven equal steps to the octave. */
const thaiStep = (step: number) => 523.25 * 2 ** (step / 7);
const semitones = (base: number, steps: number) => base * 2 ** (steps / 12);

const chime: Synthesis = {
  seconds: 1.5,
  play: (samples) => {
    // E5, B5, E6: an open chord that fits over any music.
    strike(samples, { hertz: 659.26, at: 0, strength: 0.8 }, bell);
    strike(samples, { hertz: 987.77, at: 0.1, strength: 0.8 }, bell);
    strike(samples, { hertz: 1318.51, at: 0.2, strength: 1 }, bell);
  },
};

const library: Readonly<Record<Schemas["LibrarySound"], Synthesis>> = {
  bell: { seconds: 2.2, play: (samples) => strike(samples, { hertz: 440, at: 0, strength: 1 }, templeBell) },
  coins: {
    seconds: 1.1,
    play: (samples) => {
      const falls = [0, 0.09, 0.16, 0.28, 0.34, 0.47, 0.53, 0.68];
      const tones = [2_350, 2_790, 2_490, 3_140, 2_640, 2_960, 2_210, 2_790];
      for (const [index, at] of falls.entries()) strike(samples, { hertz: tones[index] ?? 0, at, strength: 1 - 0.07 * index }, coin);
    },
  },
  pop: {
    seconds: 0.32,
    play: (samples) => {
      const level = (time: number) => Math.min(1, time / 0.004) * Math.exp(-32 * time);
      const bubble = (from: number) => glide((time) => from + 9_000 * time ** 1.3, level);
      add(samples, 0, bubble(330));
      add(samples, 0.11, bubble(520));
    },
  },
  fanfare: {
    seconds: 1.7,
    play: (samples) => {
      for (const at of [0, 0.14, 0.28]) brass(samples, { hertz: 392, at, lasts: 0.11 });
      for (const steps of [0, 4, 7, 12]) brass(samples, { hertz: semitones(523.25, steps), at: 0.42, lasts: 0.9 });
    },
  },
  gong: {
    seconds: 2.4,
    play: (samples) => {
      strike(samples, { hertz: 131, at: 0, strength: 1 }, gong);
      // The high tones of a gong bloom after the stroke.
      const level = (time: number) => 0.16 * (1 - Math.exp(-9 * time)) * Math.exp(-2.6 * time);
      add(samples, 0, noise({ hertz: () => 1_400, width: 0.5 }, level));
    },
  },
  ranat: {
    seconds: 1.3,
    play: (samples) => {
      for (const [index, step] of [0, 1, 2, 4, 5, 7, 8, 9].entries()) {
        const at = 0.075 * index;
        strike(samples, { hertz: thaiStep(step), at, strength: 0.8 }, wood);
        if (index > 4) strike(samples, { hertz: thaiStep(step - 7), at, strength: 0.6 }, wood); // played in octaves
      }
    },
  },
  drum: {
    seconds: 1.5,
    play: (samples) => {
      for (const at of [0, 0.36, 0.72]) boom(samples, at);
      for (const at of [0.18, 0.54, 0.63]) slap(samples, at);
    },
  },
  swoosh: {
    seconds: 0.8,
    play: (samples) => {
      const nearness = (time: number) => Math.exp(-(((time - 0.36) / 0.15) ** 2));
      const level = (time: number) => nearness(time) * Math.min(1, time / 0.05);
      add(samples, 0, noise({ hertz: (time) => 350 + 2_900 * nearness(time), width: 0.45 }, level));
    },
  },
  arcade: {
    seconds: 0.9,
    play: (samples) => {
      for (const [index, steps] of [0, 7, 12, 16].entries())
        square(samples, { hertz: semitones(659.26, steps), at: 0.085 * index, lasts: index < 3 ? 0.085 : 0.5 });
    },
  },
  sparkle: {
    seconds: 1.6,
    play: (samples) => {
      for (const [index, steps] of [0, 4, 7, 9, 12, 16, 19, 21, 24, 28].entries())
        strike(samples, { hertz: semitones(1_046.5, steps), at: 0.06 * index, strength: 0.9 - 0.04 * index }, glass);
    },
  },
};

type Tone = Readonly<{ hertz: number; at: number; lasts: number }>;

/** Harmonics that follow a swelling tone, and end with it. */
function brass(samples: Float64Array, { hertz, at, lasts }: Tone): void {
  add(samples, at, (time) => {
    const level = Math.min(1, time / 0.025) * Math.min(1, Math.max(0, (lasts + 0.12 - time) / 0.12));
    if (level === 0) return 0;
    const vibrato = time > 0.3 ? 0.004 * Math.sin(2 * Math.PI * 5.5 * time) : 0;
    let sum = 0;
    for (let harmonic = 1; harmonic * hertz < 6_000; harmonic += 1)
      sum +=
        (Math.exp((-0.28 * harmonic) / (0.4 + 0.6 * level)) * Math.sin(2 * Math.PI * harmonic * hertz * time + harmonic * vibrato)) / 1.6;
    return level * sum;
  });
}

/** A pulse of a quarter of its period, of as many harmonics as there is room for: an old video game. */
function square(samples: Float64Array, { hertz, at, lasts }: Tone): void {
  add(samples, at, (time) => {
    if (time > lasts) return 0;
    const level = Math.min(1, time / 0.005, (lasts - time) / 0.005) * Math.exp(-2.5 * time);
    let sum = 0;
    for (let harmonic = 1; harmonic * hertz < rateLimit; harmonic += 1)
      sum += (Math.sin((Math.PI * harmonic) / 4) / harmonic) * Math.cos(2 * Math.PI * harmonic * hertz * time);
    return level * sum;
  });
}

const rateLimit = 10_000;

/** The open stroke of a long drum: the skin's tone falls. */
function boom(samples: Float64Array, at: number): void {
  const tone = (ratio: number, fades: number) => {
    const level = (time: number) => Math.min(1, time / 0.003) * Math.exp(-fades * time);
    return glide((time) => ratio * (98 + 75 * Math.exp(-22 * time)), level);
  };
  add(samples, at, tone(1, 7));
  add(samples, at, scaled(0.5, tone(2.14, 10)));
  add(samples, at, scaled(0.3, tone(3.6, 18)));
}

/** The closed stroke: a short slap on the rim. */
function slap(samples: Float64Array, at: number): void {
  strike(samples, { hertz: 420, at, strength: 0.45 }, [
    { ratio: 1, strength: 1, fades: 30 },
    { ratio: 1.6, strength: 0.7, fades: 38 },
  ]);
  const level = (time: number) => 0.5 * Math.min(1, time / 0.002) * Math.exp(-45 * time);
  add(samples, at, noise({ hertz: () => 1_900, width: 0.7 }, level));
}

function scaled(factor: number, sound: (time: number) => number): (time: number) => number {
  return (time) => factor * sound(time);
}

function make({ seconds, play }: Synthesis): Buffer {
  const samples = silence(seconds);
  play(samples);
  return toWave(samples);
}

export function makeChime(): Buffer {
  return make(chime);
}

/** The size of its file. */
export function soundBytes(name: Schemas["LibrarySound"]): number {
  return waveBytes(library[name].seconds);
}

export function makeLibrarySound(name: Schemas["LibrarySound"]): Buffer {
  return make(library[name]);
}

export const librarySounds = Object.keys(library) as readonly Schemas["LibrarySound"][];
