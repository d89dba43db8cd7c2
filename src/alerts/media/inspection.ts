// What becomes of an uploaded file: a type that is served, or the reason of a refusal. And the chunks of RIFF, which an image and a sound have.

export type FileType = Readonly<{
  kind: "image" | "sound";
  mime: "image/jpeg" | "image/png" | "image/gif" | "image/webp" | "video/webm" | "audio/wav" | "audio/mpeg" | "audio/mp4" | "audio/ogg";
  /** In pixels; null for a sound. */
  width: number | null;
  height: number | null;
}>;

export type FileRefusal = "empty" | "unsupported" | "broken" | "active_content" | "too_many_pixels";

export type Inspected = FileType | Readonly<{ refused: FileRefusal }>;

/** Pixels that a browser has to hold: 4,096 × 4,096 need 64 MiB. */
export const maxPixels = 4_096 * 4_096;
export const maxSide = 8_192;

/** More pictures than an animation of a minute has. */
export const maxFrames = 2_000;

/** More parts than a file of the allowed size needs. A file of empty ones alone would take a second. */
export const maxParts = 20_000;

export function refused(reason: FileRefusal): Inspected {
  return { refused: reason };
}

export function image(mime: FileType["mime"], width: number, height: number): FileType {
  return { kind: "image", mime, width, height };
}

export function sound(mime: FileType["mime"]): FileType {
  return { kind: "sound", mime, width: null, height: null };
}

export type Chunk = Readonly<{ type: string; data: Buffer }>;

/** The chunks behind the 12 bytes of the header; null when they do not fill the file exactly, or are too many. */
export function chunksOf(bytes: Buffer): Chunk[] | null {
  const size = bytes.readUInt32LE(4) + 8;
  if (size !== bytes.length && size + (size % 2) !== bytes.length) return null;
  const chunks: Chunk[] = [];
  let at = 12;
  while (at < size) {
    const length = bytes.readUInt32LE(at + 4);
    if (at + 8 + length > bytes.length || chunks.length === maxParts) return null;
    chunks.push({ type: bytes.toString("latin1", at, at + 4), data: bytes.subarray(at + 8, at + 8 + length) });
    at += 8 + length + (length % 2);
  }
  return chunks;
}
