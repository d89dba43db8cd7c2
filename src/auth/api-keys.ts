// All SQL about API keys.

import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import type { Scope } from "../http/operations.ts";
import { requireRoomForKey } from "./key-quota.ts";
import { makeKey, readKey } from "./key-text.ts";
import { raiseCredentialVersion } from "./revocation-feed.ts";

export type NewApiKey = { streamerId: string; application: string; name: string; scopes: readonly Scope[]; expiresAt?: Date | undefined };

/** A key as an operator sees it: never the key itself. */
export type ApiKeyEntry = {
  id: string;
  publicId: string;
  application: string;
  name: string;
  scopes: Scope[];
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
};

export type StoredApiKey = {
  id: string;
  streamer_id: string;
  application_id: string;
  secret_hash: Buffer;
  scopes: Scope[];
  expires_at: Date | null;
  revoked_at: Date | null;
};

export type ApiKeys = ReturnType<typeof apiKeyStore>;

export function apiKeyStore(knex: Knex, brand: string) {
  return {
    /**
     * Creates a key in the streamer's named application (made when new) and returns it: the only time it is seen. Throws TooManyKeys.
     */
    create: async ({ streamerId, application, name, scopes, expiresAt }: NewApiKey): Promise<string> => {
      const key = makeKey(brand, "v1");
      const parts = readKey(brand, "v1", key);
      if (!parts) throw new Error("a new key must read back");
      await knex.transaction(async (trx) => {
        await requireRoomForKey(trx, streamerId);
        const applicationId = await ensureApplication(trx, streamerId, application);
        await trx("api_keys").insert({
          id: uuidv7(),
          streamer_id: streamerId,
          application_id: applicationId,
          public_id: parts.publicId,
          secret_hash: parts.hash,
          name,
          scopes,
          expires_at: expiresAt ?? null,
        });
      });
      return key;
    },

    /** The streamer's keys, oldest first, revoked ones included. */
    list: (streamerId: string): Promise<ApiKeyEntry[]> =>
      knex("api_keys as k")
        .join("applications as a", "a.id", "k.application_id")
        .where("k.streamer_id", streamerId)
        .orderBy(["k.created_at", "k.id"])
        .select({
          id: "k.id",
          publicId: "k.public_id",
          application: "a.name",
          name: "k.name",
          scopes: "k.scopes",
          createdAt: "k.created_at",
          expiresAt: "k.expires_at",
          lastUsedAt: "k.last_used_at",
          revokedAt: "k.revoked_at",
        }),

    /**
     * Revokes by id or public part, `streamerId`'s alone when it is named; every process refuses the key within a second.
     * False: no such key, or already revoked.
     */
    revoke: (idOrPublicId: string, streamerId: string | null = null): Promise<boolean> =>
      knex.transaction(async (trx) => {
        const revoked = await trx("api_keys")
          .whereRaw("(id::text = ? or public_id = ?) and revoked_at is null", [idOrPublicId, idOrPublicId])
          .modify((own) => void (streamerId !== null && own.where("streamer_id", streamerId)))
          .update({ revoked_at: trx.fn.now() });
        if (revoked > 0) await raiseCredentialVersion(trx);
        return revoked > 0;
      }),

    find: (publicId: string): Promise<StoredApiKey | undefined> =>
      knex("api_keys")
        .where("public_id", publicId)
        .first("id", "streamer_id", "application_id", "secret_hash", "scopes", "expires_at", "revoked_at"),

    /** Notes when keys were last used, to the minute. */
    noteUse: async (minutes: ReadonlyMap<string, Date>): Promise<void> => {
      const ids = [...minutes.keys()];
      await knex.raw(
        `update api_keys set last_used_at = greatest(last_used_at, used.at)
         from unnest(?::uuid[], ?::timestamptz[]) as used(id, at) where api_keys.id = used.id`,
        [ids, ids.map((id) => minutes.get(id))] as never,
      );
    },
  };
}

/** The id of a streamer's named application; made when it is new. */
export async function ensureApplication(knex: Knex, streamerId: string, name: string): Promise<string> {
  await knex.raw(
    `insert into applications (id, streamer_id, name) values (?, ?, ?) on conflict (streamer_id, name) where streamer_id is not null do nothing`,
    [uuidv7(), streamerId, name],
  );
  const row = await knex("applications").where({ streamer_id: streamerId, name }).first("id");
  return row.id;
}
