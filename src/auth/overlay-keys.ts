// All SQL about overlay keys, the credential of overlay and widget pages. A streamer has at most one live overlay key.

import type { Knex } from "knex";
import { uuidv7 } from "uuidv7";
import { makeKey, readKey } from "./key-text.ts";
import { raiseCredentialVersion } from "./revocation-feed.ts";

export type StoredOverlayKey = { id: string; streamer_id: string; secret_hash: Buffer; revoked_at: Date | null };

export type OverlayKeys = ReturnType<typeof overlayKeyStore>;

export function overlayKeyStore(knex: Knex, brand: string) {
  return {
    /** Creates the streamer's key and returns it, which is never shown again. Every process refuses the previous key within a second. */
    replace: async (streamerId: string): Promise<string> => {
      const key = makeKey(brand, "o1");
      const parts = readKey(brand, "o1", key);
      if (!parts) throw new Error("a new key must read back");
      await knex.transaction(async (trx) => {
        await trx.raw("select pg_advisory_xact_lock(hashtextextended(?, 0))", [`overlay key ${streamerId}`]);
        const revoked = await trx("overlay_keys")
          .where("streamer_id", streamerId)
          .whereNull("revoked_at")
          .update({ revoked_at: trx.fn.now() });
        await trx("overlay_keys").insert({
          id: uuidv7(),
          streamer_id: streamerId,
          public_id: parts.publicId,
          secret_hash: parts.hash,
        });
        if (revoked > 0) await raiseCredentialVersion(trx);
      });
      return key;
    },

    /** When the streamer's live key was created; null when there is none. */
    findCreatedAt: async (streamerId: string): Promise<Date | null> => {
      const row = await knex("overlay_keys").where("streamer_id", streamerId).whereNull("revoked_at").first("created_at");
      return row?.created_at ?? null;
    },

    find: (publicId: string): Promise<StoredOverlayKey | undefined> =>
      knex("overlay_keys").where("public_id", publicId).first("id", "streamer_id", "secret_hash", "revoked_at"),

    /** The ids among these that belong to revoked keys. */
    revokedAmong: (ids: readonly string[]): Promise<string[]> =>
      knex("overlay_keys")
        .whereRaw("id = any(?)", [ids] as never)
        .whereNotNull("revoked_at")
        .pluck("id"),
  };
}
