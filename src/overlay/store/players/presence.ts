// Statements that a process runs for all of its connections together.

import type { Knex } from "knex";
import { byNode } from "../../../db/citus/by-node.ts";
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

/** Renews the leases that these connections still hold. */
export async function renewLeases(knex: Knex, leases: readonly HeldLease[], { leaseMs }: Times): Promise<void> {
  await changeHeld(knex, leases, "player_until = now() + ? * interval '1 millisecond'", [leaseMs]);
}

/** Releases the leases of these connections, because the server stops. The next step of any process settles their active playbacks. */
export async function releaseLeases(knex: Knex, held: readonly HeldLease[]): Promise<void> {
  if (held.length === 0) return;
  await changeHeld(knex, held, "connection_id = null, player_until = least(player_until, now()), version = version + 1", []);
}

/** Changes the overlays whose leases these connections still hold. */
async function changeHeld(knex: Knex, held: readonly HeldLease[], changes: string, bindings: readonly number[]): Promise<void> {
  const streamers = [...new Set(held.map(({ streamerId }) => streamerId))];
  await byNode(knex, streamers, async (ids) => {
    const own = held.filter(({ streamerId }) => ids.includes(streamerId));
    await knex.raw(
      `update overlays o set ${changes} from unnest(?::uuid[], ?::uuid[]) as held(streamer_id, connection_id)
       where o.streamer_id = any(?::uuid[]) and o.streamer_id = held.streamer_id and o.connection_id = held.connection_id`,
      [...bindings, own.map(({ streamerId }) => streamerId), own.map(({ connectionId }) => connectionId), ids],
    );
    return [];
  });
}

/** Whether one of the streamer's playbacks has this speech. */
export async function ownsSpeech(knex: Knex, streamerId: string, speechId: string): Promise<boolean> {
  const { rows } = await knex.raw<{ rows: { owns: boolean }[] }>(
    "select exists (select from playbacks where streamer_id = ? and speech_id = ?) as owns",
    [streamerId, speechId],
  );
  return rows[0]?.owns ?? false;
}
