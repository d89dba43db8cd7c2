// As much of the WAV format (RIFF chunks, little endian) as it takes to know how long a file plays.

const riffHeader = 12;
const chunkHeader = 8;

type Chunk = { id: string; start: number; size: number };

/** Speech for an alert takes half a minute. Whoever believes a file that says more may wait for its end for weeks. */
const longestMs = 300_000;

/** Milliseconds of a WAV file; null for everything else. A length that the file claims but can't have is not believed. */
export function wavDurationMs(bytes: Buffer): number | null {
  const chunks = readChunks(bytes);
  const format = chunks.find(({ id, size }) => id === "fmt " && size >= 16);
  const data = chunks.find(({ id }) => id === "data");
  const bytesPerSecond = format && bytes.readUInt32LE(format.start + 8);
  const ms = data && bytesPerSecond ? Math.round((data.size / bytesPerSecond) * 1_000) : null;
  return ms !== null && ms <= longestMs ? ms : null;
}

/** Writes the true lengths into the headers of a WAV file that was written to a pipe, where nobody could go back to them. */
export function withTrueLengths(bytes: Buffer): Buffer {
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
