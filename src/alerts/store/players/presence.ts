// Statements that a process runs for all of its connections together.

import type { Knex } from "knex";
import { forEachInTurn } from "../../../base/async.ts";
import { byNode } from "../../../db/citus/by-node.ts";
import { isDistributed } from "../../../db/citus/distributed.ts";
import type { SqlBinding } from "../../../db/sql-bindings.ts";
import type { Times } from "../../timeouts.ts";

export type QueueVersion = {
  streamerId: string;
  lastSequence: number;
  version: number;
  /** Nobody holds the lease. */
  isLeaseFree: boolean;
};
export type HeldLease = { streamerId: string; connectionId: string };

/** The versions of these streamers' queues. */
export async function readVersions(knex: Knex, streamerIds: readonly string[]): Promise<QueueVersion[]> {
  return byNode(knex, streamerIds, async (ids) => {
    const { rows } = await knex.raw<{ rows: QueueVersion[] }>(
      `select s.id as "streamerId", s.last_sequence as "lastSequence", coalesce(o.version, 0)::bigint as version,
         coalesce(o.player_until < clock_timestamp(), true) as "isLeaseFree"
       from streamers s left join overlays o on o.streamer_id = s.id where s.id = any(?::uuid[])`,
      [ids],
    );
    return rows;
  });
}

/** Renews the leases that these connections still hold. A locked overlay is left out, for its next step or the next renewal. */
export async function renewLeases(knex: Knex, leases: readonly HeldLease[], { leaseMs }: Times): Promise<void> {
  await changeHeld(knex, leases, {
    changes: "player_until = now() + :leaseMs * interval '1 millisecond'",
    bindings: { leaseMs },
    waits: false,
  });
}

const release = { changes: "connection_id = null, player_until = least(player_until, now()), version = version + 1", bindings: {} };

/**
 * Releases the leases of these connections, because the server stops. The next step of any process settles their active playbacks.
 * Overlays that are locked come last, one at a time; rejects when one of them stays locked.
 */
export async function releaseLeases(knex: Knex, held: readonly HeldLease[]): Promise<void> {
  if (held.length === 0) return;
  await changeHeld(knex, held, { ...release, waits: false });
  await forEachInTurn(await findHeld(knex, held), (lease) => changeHeld(knex, [lease], { ...release, waits: true }));
}

/** SQL over `overlays o` and the leases that connections may hold. */
const possibleLeases = "unnest(:streamers::uuid[], :connections::uuid[]) as held(streamer_id, connection_id)";
const isHeld = "o.streamer_id = any(:ids::uuid[]) and o.streamer_id = held.streamer_id and o.connection_id = held.connection_id";

/** `waits`: for overlays that are locked, too. */
type HeldChange = { changes: string; bindings: Record<string, number>; waits: boolean };

/** Changes the overlays whose leases these connections still hold. */
async function changeHeld(knex: Knex, held: readonly HeldLease[], { changes, bindings, waits }: HeldChange): Promise<void> {
  // Citus knows `for update` in statements about one streamer alone.
  const sql =
    waits || isDistributed(knex)
      ? `update overlays o set ${changes} from ${possibleLeases} where ${isHeld}`
      : `with unlocked as materialized (
           select o.streamer_id from overlays o, ${possibleLeases} where ${isHeld} order by o.streamer_id for update of o skip locked)
         update overlays o set ${changes} from unlocked where o.streamer_id = unlocked.streamer_id`;
  await byNode(knex, streamersOf(held), async (ids) => {
    await knex.raw(sql, { ...bindings, ...heldBy(held, ids) });
    return [];
  });
}

/** The leases that these connections still hold. */
function findHeld(knex: Knex, held: readonly HeldLease[]): Promise<HeldLease[]> {
  return byNode(knex, streamersOf(held), async (ids) => {
    const { rows } = await knex.raw<{ rows: HeldLease[] }>(
      `select o.streamer_id as "streamerId", o.connection_id as "connectionId" from overlays o, ${possibleLeases} where ${isHeld}`,
      heldBy(held, ids),
    );
    return rows;
  });
}

function streamersOf(held: readonly HeldLease[]): string[] {
  return [...new Set(held.map(({ streamerId }) => streamerId))];
}

/** The bindings of `possibleLeases` and `isHeld` for these streamers. */
function heldBy(held: readonly HeldLease[], ids: readonly string[]): Record<string, SqlBinding> {
  const own = held.filter(({ streamerId }) => ids.includes(streamerId));
  return {
    ids,
    streamers: own.map(({ streamerId }) => streamerId),
    connections: own.map(({ connectionId }) => connectionId),
  };
}

/** Whether one of the streamer's playbacks has this speech. */
export async function ownsSpeech(knex: Knex, streamerId: string, speechId: string): Promise<boolean> {
  const { rows } = await knex.raw<{ rows: { owns: boolean }[] }>(
    "select exists (select from playbacks where streamer_id = ? and speech_id = ?) as owns",
    [streamerId, speechId],
  );
  return rows[0]?.owns ?? false;
}
