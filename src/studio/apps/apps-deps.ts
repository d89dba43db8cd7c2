// What the studio needs of the applications that a streamer registers.

import type { Scope } from "../../http/operations.ts";

/** An OAuth client that the streamer registered. `secretSince`: when its newest secret was made; null for a public client. */
export type OwnApp = Readonly<{
  id: string;
  name: string;
  public: boolean;
  redirectUris: readonly string[];
  scopes: readonly Scope[];
  createdAt: Date;
  secretSince: Date | null;
}>;

export type NewApp = Pick<OwnApp, "name" | "public" | "redirectUris" | "scopes">;

/** The OAuth clients that the streamer registered. */
export type Apps = Readonly<{
  /** Oldest first. */
  list: (streamerId: string) => Promise<readonly OwnApp[]>;
  /** Null when the streamer has no such client, as `rotate`; `change` and `remove` resolve to false then. */
  find: (streamerId: string, clientId: string) => Promise<OwnApp | null>;
  /** Resolves to the secret, which is never shown again; a public client has none. Throws validation_failed, and TooManyKeys. */
  register: (streamerId: string, app: NewApp) => Promise<{ clientId: string; clientSecret: string | null }>;
  /** Throws validation_failed. */
  change: (streamerId: string, clientId: string, change: Pick<NewApp, "name" | "redirectUris">) => Promise<boolean>;
  /**
   * Resolves to the new secret, which is never shown again. The one before works until the next rotation. `replaces`: when the newest secret
   * was made; the new one is null when there is a newer one already.
   */
  rotate: (streamerId: string, clientId: string, replaces: Date) => Promise<{ clientSecret: string | null } | null>;
  /** Revokes all its tokens, too. */
  remove: (streamerId: string, clientId: string) => Promise<boolean>;
}>;
