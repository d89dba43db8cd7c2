// What the studio needs of API keys.

import type { Scope } from "../../http/operations.ts";

/** An API key as its owner sees it, without its secret. */
export type ApiKey = Readonly<{
  id: string;
  publicId: string;
  application: string;
  name: string;
  scopes: readonly Scope[];
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}>;

export type NewApiKey = Readonly<{ streamerId: string; application: string; name: string; scopes: readonly Scope[]; expiresAt?: Date }>;

export type ApiKeys = Readonly<{
  /** Resolves to the key, which is never shown again. Throws TooManyKeys. */
  create: (key: NewApiKey) => Promise<string>;
  /** Oldest first, revoked ones included. */
  list: (streamerId: string) => Promise<readonly ApiKey[]>;
  /** Revokes a key of this streamer. False when there is no such key or it was revoked before. */
  revoke: (streamerId: string, keyId: string) => Promise<boolean>;
}>;
