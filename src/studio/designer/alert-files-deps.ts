// What the alert designer needs of uploaded files.

/** An image or a sound that was uploaded. Sizes in bytes and pixels. */
export type AlertFile = Readonly<{
  id: string;
  kind: "image" | "sound";
  mime: string;
  name: string;
  size: number;
  width: number | null;
  height: number | null;
}>;

const fileRefusals = ["empty", "too_large", "no_room", "unsupported", "broken", "active_content", "too_many_pixels"] as const;
export type FileRefusal = (typeof fileRefusals)[number];

/** The streamer's images and sounds. Ids may have any form: of what is not one there is no file. */
export type AlertFiles = Readonly<{
  /** Newest first. */
  list: (streamerId: string) => Promise<readonly AlertFile[]>;
  /** The type is detected from the content. */
  add: (streamerId: string, file: Readonly<{ name: string; bytes: Buffer }>) => Promise<{ id: string } | { refused: FileRefusal }>;
  /** A file that a variation uses is not deleted. */
  remove: (streamerId: string, fileId: string) => Promise<"removed" | "unknown" | "in_use">;
}>;
