// Synthesises the sound of an alert: a small bell in three notes, as a WAV file.

const rate = 32_000;
const seconds = 1.5;
const loudness = 0.5;

/** E5, B5, E6: an open chord that fits over any music. */
const notes = [
  { hertz: 659.26, at: 0, strength: 0.8 },
  { hertz: 987.77, at: 0.1, strength: 0.8 },
  { hertz: 1318.51, at: 0.2, strength: 1 },
];

/** A bell's overtones: higher ones are weaker and decay faster. */
const partials = [
  { ratio: 1, strength: 1, fades: 3.2 },
  { ratio: 2.001, strength: 0.42, fades: 5 },
  { ratio: 3.01, strength: 0.2, fades: 8 },
  { ratio: 5.4, strength: 0.09, fades: 14 },
];

/** Mono, 16 bit. */
export function makeChime(): Buffer {
  const samples = new Float64Array(rate * seconds);
  for (const note of notes) ring(samples, note);
  const peak = samples.reduce((highest, sample) => Math.max(highest, Math.abs(sample)), 0);
  const data = Buffer.alloc(samples.length * 2);
  for (const [index, sample] of samples.entries()) data.writeInt16LE(Math.round((sample / peak) * loudness * 32_767), index * 2);
  return Buffer.concat([waveHeader(data.length), data]);
}

function ring(samples: Float64Array, { hertz, at, strength }: (typeof notes)[number]): void {
  for (let index = Math.round(at * rate); index < samples.length; index += 1) {
    const time = index / rate - at;
    const left = seconds - at - time;
    const edge = Math.min(1, time / 0.004, left / 0.08); // no click at either end
    for (const partial of partials)
      samples[index]! +=
        edge * strength * partial.strength * Math.exp(-partial.fades * time) * Math.sin(2 * Math.PI * hertz * partial.ratio * time);
  }
}

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
