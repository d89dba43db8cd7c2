// Revokes API keys and overlay keys.

import type { Knex } from "knex";
import { recordAudit } from "../audit/audit-log.ts";
import { raiseCredentialVersion } from "./revocation-feed.ts";

/** A key by its id or public part, and only a key of `streamerId` when that is not null. */
export type RevokedKey = Readonly<{ idOrPublicId: string; streamerId: string | null }>;

/** False when there is no such key that works. Every process refuses it within a second. */
export function revokeKey(knex: Knex, kind: "api_key" | "overlay_key", { idOrPublicId, streamerId }: RevokedKey): Promise<boolean> {
  return knex.transaction(async (trx) => {
    const revoked: { id: string; streamer_id: string }[] = await trx(`${kind}s`)
      .whereRaw("(id::text = ? or public_id = ?) and revoked_at is null", [idOrPublicId, idOrPublicId])
      .modify((keys) => void (streamerId !== null && keys.where("streamer_id", streamerId)))
      .update({ revoked_at: trx.fn.now() }, ["id", "streamer_id"]);
    if (revoked.length > 0) await raiseCredentialVersion(trx);
    for (const { id, streamer_id: owner } of revoked) await recordAudit(trx, { streamerId: owner, action: `${kind}.revoked`, target: id });
    return revoked.length > 0;
  });
}
