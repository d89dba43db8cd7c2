// What the studio needs of overlay keys.

import type { KeyWidget, OverlayKeyEntry } from "../../auth/overlay-keys.ts";

/** An overlay key that works, without its secret. */
export type OverlayKey = Readonly<OverlayKeyEntry>;

export type OverlayKeys = Readonly<{
  /** Those that work, oldest first. */
  list: (streamerId: string) => Promise<readonly OverlayKey[]>;
  /** Creates a further key. Resolves to the key, which is never shown again. Throws TooManyKeys. */
  create: (streamerId: string, name: string, widget: KeyWidget | null) => Promise<string>;
  /**
   * Changes the widget of a key of this streamer, whose open pages follow. False when it is not `from` any more, and when there is no such key
   * or it was revoked.
   */
  changeWidget: (streamerId: string, keyId: string, change: Readonly<{ from: KeyWidget; to: KeyWidget }>) => Promise<boolean>;
  /** Revokes a key of this streamer. False when there is no such key or it was revoked before. */
  revoke: (streamerId: string, keyId: string) => Promise<boolean>;
}>;
