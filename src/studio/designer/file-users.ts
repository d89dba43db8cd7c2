// Which variations use an uploaded image or sound.

import type { Settings } from "../../alerts/settings/settings.ts";

export type FileUser = Readonly<{
  name: string;
  /** The variation's index in the list of variations. */
  place: number;
}>;

/** The variations that show or play the file, in their order. */
export function variationsWith(fileId: string, variations: Settings["variations"]): FileUser[] {
  return variations.flatMap(({ name, image, sound }, place) => (image === fileId || sound === fileId ? [{ name, place }] : []));
}
