// What becomes of an uploaded file: a type that is served, or the reason of a refusal.

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
