// The overlay pages that are connected, to whichever process: the streamer sees them, and chooses which one leads. A row is a connection. Rows of
// a process that was killed are not renewed, and go.

import type { Knex } from "knex";
import { recordAudit } from "../../audit/audit-log.ts";
import { formatInstant } from "../../base/instant.ts";
import { eachPart } from "../../db/citus/layout.ts";
import { maxItemsOf } from "../../http/contract/published.ts";
import type { Schemas } from "../../http/operations.ts";
import type { HeldLease } from "./lease.ts";
import { changeOverlay, isLive, type Overlay, withOverlay } from "./overlay.ts";

const maxPages = maxItemsOf("AlertQueue", "overlays");

/** A connection of an overlay page. */
type Page = Readonly<{ id: string; streamerId: string; playerId: string; isInObs: boolean; isActive: boolean }>;

/** How long a row is valid unless it is renewed: three heartbeats. */
const validSql = "now() + interval '45 seconds'";

/** Records connections of a streamer that can play, and deletes those that have closed. */
export async function recordPages(
  knex: Knex,
  streamerId: string,
  { joined, departed }: { joined: readonly Page[]; departed: readonly string[] },
): Promise<void> {
  if (departed.length > 0) await knex("overlay_pages").where("streamer_id", streamerId).whereIn("connection_id", departed).delete();
  if (joined.length === 0) return;
  const rows = joined.map(({ id, playerId, isInObs, isActive }) => ({
    ...{ streamer_id: streamerId, connection_id: id, player_id: playerId },
    ...{ in_obs: isInObs, active: isActive, valid_until: knex.raw(validSql) },
  }));
  await knex("overlay_pages").insert(rows).onConflict(["streamer_id", "connection_id"]).ignore();
}

/** Renews the rows of these connections, and deletes those of their streamers that nobody has renewed. */
export async function renewPages(knex: Knex, connections: readonly Page[]): Promise<void> {
  const ids = connections.map(({ id }) => id);
  await eachPart(knex, [...new Set(connections.map(({ streamerId }) => streamerId))], async (streamers) => {
    await knex.raw(
      `update overlay_pages set valid_until = ${validSql} where streamer_id = any(?::uuid[]) and connection_id = any(?::uuid[])`,
      [streamers, ids],
    );
    await knex.raw("delete from overlay_pages where streamer_id = any(?::uuid[]) and valid_until < now()", [streamers]);
    return [];
  });
}

/** Deletes the rows of these connections, because the server stops. */
export async function forgetPages(knex: Knex, held: readonly HeldLease[]): Promise<void> {
  const ids = held.map(({ connectionId }) => connectionId);
  await eachPart(knex, [...new Set(held.map(({ streamerId }) => streamerId))], async (streamers) => {
    await knex.raw("delete from overlay_pages where streamer_id = any(?::uuid[]) and connection_id = any(?::uuid[])", [streamers, ids]);
    return [];
  });
}

type PageRow = { connection_id: string; player_id: string; in_obs: boolean; active: boolean; since: number };

/** The connected pages, the leading one first. */
export async function listPages(knex: Knex, { streamerId, lease, now }: Overlay): Promise<Schemas["ConnectedOverlay"][]> {
  const { rows } = await knex.raw<{ rows: PageRow[] }>(
    `select connection_id, player_id, in_obs, active, to_millis(opened_at) as since from overlay_pages
     where streamer_id = ? and valid_until > now() order by connection_id is distinct from ?::uuid, opened_at, connection_id limit ?`,
    [streamerId, lease.connectionId, maxPages],
  );
  return rows.map((row) => ({
    id: row.connection_id,
    client: row.in_obs ? "obs" : "browser",
    active: row.active,
    leads: isLive(lease, now) && row.connection_id === lease.connectionId,
    connectedAt: formatInstant(row.since),
  }));
}

/** Makes the player of this connection lead, from the end of the alert that plays. Resolves to false when it is not connected. */
export function chooseLeader(knex: Knex, streamerId: string, connectionId: string): Promise<boolean> {
  return withOverlay(knex, streamerId, async (trx, overlay) => {
    const page: { player_id: string } | undefined = await trx("overlay_pages")
      .where({ streamer_id: streamerId, connection_id: connectionId })
      .whereRaw("valid_until > now()")
      .first("player_id");
    if (!page) return false;
    if (page.player_id === overlay.chosenPlayerId) return true;
    await changeOverlay(trx, overlay, { chosenPlayerId: page.player_id });
    await recordAudit(trx, { streamerId, action: "overlay.chosen", target: connectionId });
    return true;
  });
}
