// What the studio needs of overlay keys.

/** An overlay key that works, without its secret. */
export type OverlayKey = Readonly<{ id: string; publicId: string; name: string; createdAt: Date; lastUsedAt: Date | null }>;

export type OverlayKeys = Readonly<{
  /** Those that work, oldest first. */
  list: (streamerId: string) => Promise<readonly OverlayKey[]>;
  /** Creates a further key. Resolves to the key, which is never shown again. Throws TooManyKeys. */
  create: (streamerId: string, name: string) => Promise<string>;
  /** Revokes a key of this streamer. False when there is no such key or it was revoked before. */
  revoke: (streamerId: string, keyId: string) => Promise<boolean>;
}>;
