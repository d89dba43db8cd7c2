// Sounds as we synthesise them: samples that are added up, made equally loud, and written as a WAV file.

const rate = 24_000;

/** A sine with its overtones. `fades`: how fast it decays; higher is faster. */
export type Partial = Readonly<{ ratio: number; strength: number; fades: number }>;

type Note = Readonly<{ hertz: number; at: number; strength: number }>;

export function silence(seconds: number): Float64Array {
  return new Float64Array(Math.round(rate * seconds));
}

/** Adds what `sound` says of each moment from `at` on, in seconds since then. */
export function add(samples: Float64Array, at: number, sound: (time: number) => number): void {
  for (let index = Math.round(at * rate); index < samples.length; index += 1) samples[index]! += sound(index / rate - at);
}

/** A struck body: a bell, a bar, a coin. */
export function strike(samples: Float64Array, { hertz, at, strength }: Note, partials: readonly Partial[]): void {
  const audible = partials.filter(({ ratio }) => hertz * ratio < rate / 2.2);
  add(samples, at, (time) => {
    const attack = Math.min(1, time / 0.003);
    return audible.reduce((sum, one) => {
      return sum + attack * strength * one.strength * Math.exp(-one.fades * time) * Math.sin(2 * Math.PI * hertz * one.ratio * time);
    }, 0);
  });
}

/** A sine whose frequency changes. */
export function glide(hertz: (time: number) => number, strength: (time: number) => number): (time: number) => number {
  let phase = 0;
  return (time) => {
    phase += (2 * Math.PI * hertz(time)) / rate;
    return strength(time) * Math.sin(phase);
  };
}

/** The frequency that noise lies around, and how wide. */
type Band = Readonly<{ hertz: (time: number) => number; width: number }>;

/** Noise of a band, the same each time (mulberry32; a band-pass filter of the second order). */
export function noise({ hertz, width }: Band, strength: (time: number) => number): (time: number) => number {
  let seed = 20_261_120;
  let [low, band] = [0, 0];
  return (time) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    const white = ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1;
    const step = 2 * Math.sin((Math.PI * Math.min(hertz(time), rate / 6)) / rate);
    low += step * band;
    band += step * (white - low - width * band);
    return strength(time) * band;
  };
}

/** Of the loudest 0.4 s, in decibels: as loud as the chime. */
const loudness = -17.5;
/** No sample is higher, so that nothing is overdriven at full volume. */
const ceiling = 0.8;
const window = 0.4;

/** Makes the sound as loud as every other one, and lets it end in silence. Mono, 16 bit. */
export function toWave(samples: Float64Array): Buffer {
  const fade = Math.round(0.04 * rate);
  for (let index = 0; index < fade; index += 1) samples[samples.length - 1 - index]! *= index / fade;
  const loudest = Math.max(...levelsOf(audible(samples)));
  const peak = samples.reduce((highest, sample) => Math.max(highest, Math.abs(sample)), 0);
  const gain = Math.min(10 ** (loudness / 20) / loudest, ceiling / peak);
  const data = Buffer.alloc(samples.length * 2);
  for (const [index, sample] of samples.entries()) data.writeInt16LE(Math.round(sample * gain * 32_767), index * 2);
  return Buffer.concat([waveHeader(data.length), data]);
}

/** What is left of the sound for the ear, which hears little of low tones: a high-pass filter of 200 Hz. */
function audible(samples: Float64Array): Float64Array {
  const kept = Math.exp((-2 * Math.PI * 200) / rate);
  let [before, passed] = [0, 0];
  return samples.map((sample) => {
    passed = kept * (passed + sample - before);
    before = sample;
    return passed;
  });
}

/** The root mean square of each window; two windows overlap by half. */
function levelsOf(samples: Float64Array): number[] {
  const size = Math.round(window * rate);
  const starts = Array.from({ length: Math.max(1, Math.ceil((2 * samples.length) / size) - 1) }, (_, index) => (index * size) / 2);
  return starts.map((start) => {
    const part = samples.subarray(start, start + size);
    return Math.sqrt(part.reduce((sum, sample) => sum + sample ** 2, 0) / size);
  });
}

/** The size of the file of a sound. */
export const waveBytes = (seconds: number) => 44 + 2 * silence(seconds).length;

/** RIFF header of PCM data. */
function waveHeader(size: number): Buffer {
  const header = Buffer.alloc(44);
  header.write("RIFF", 0);
  header.writeUInt32LE(36 + size, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20); // PCM
  header.writeUInt16LE(1, 22); // one channel
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write("data", 36);
  header.writeUInt32LE(size, 40);
  return header;
}
