// Reads the duration of WAV files (RIFF chunks, little endian), and repairs their lengths.

const riffHeader = 12;
const chunkHeader = 8;

type Chunk = { id: string; start: number; size: number };

/** Speech for an alert takes half a minute. A header that claims far more is wrong, and would block the queue. */
const maxDurationMs = 300_000;

/** Duration of a WAV file in milliseconds; null for other files and for durations above the maximum. */
export function wavDurationMs(bytes: Buffer): number | null {
  const chunks = readChunks(bytes);
  const format = chunks.find(({ id, size }) => id === "fmt " && size >= 16);
  const data = chunks.find(({ id }) => id === "data");
  const bytesPerSecond = format && bytes.readUInt32LE(format.start + 8);
  const ms = data && bytesPerSecond ? Math.round((data.size / bytesPerSecond) * 1_000) : null;
  return ms !== null && ms <= maxDurationMs ? ms : null;
}

/** Corrects the lengths in the headers of a WAV file that was written to a pipe, whose writer could not go back to them. */
export function repairLengths(bytes: Buffer): Buffer {
  const data = readChunks(bytes).find(({ id }) => id === "data");
  if (!data) return bytes;
  const repaired = Buffer.from(bytes);
  repaired.writeUInt32LE(bytes.length - chunkHeader, 4);
  repaired.writeUInt32LE(data.size, data.start - 4);
  return repaired;
}

function readChunks(bytes: Buffer): Chunk[] {
  if (bytes.toString("latin1", 0, 4) !== "RIFF" || bytes.toString("latin1", 8, riffHeader) !== "WAVE") return [];
  const chunks: Chunk[] = [];
  for (let at = riffHeader; at + chunkHeader <= bytes.length; ) {
    const claimed = bytes.readUInt32LE(at + 4);
    const start = at + chunkHeader;
    chunks.push({ id: bytes.toString("latin1", at, at + 4), start, size: Math.min(claimed, bytes.length - start) });
    at = start + claimed + (claimed % 2);
  }
  return chunks;
}
