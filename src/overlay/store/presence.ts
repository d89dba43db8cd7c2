// Statements that a process runs for all of its connections together.

import type { Knex } from "knex";
import type { Times } from "../timeouts.ts";

export type QueueVersion = {
  streamerId: string;
  lastSequence: number;
  version: number /** Nobody holds the lease. */;
  isLeaseFree: boolean;
};
export type HeldLease = { streamerId: string; connectionId: string };

/** The versions of these streamers' queues. */
export async function readVersions(knex: Knex, streamerIds: readonly string[]): Promise<QueueVersion[]> {
  const { rows } = await knex.raw<{ rows: QueueVersion[] }>(
    `select s.id as "streamerId", s.last_sequence as "lastSequence", coalesce(o.version, 0)::bigint as version,
       coalesce(o.player_until < clock_timestamp(), true) as free
     from unnest(?::uuid[]) as asked(id) join streamers s on s.id = asked.id left join overlays o on o.streamer_id = s.id`,
    [streamerIds] as never,
  );
  return rows;
}

/** Renews the leases that these connections still hold. */
export async function renewLeases(knex: Knex, leases: readonly HeldLease[], { leaseMs }: Times): Promise<void> {
  await knex.raw(
    `update overlays o set player_until = clock_timestamp() + ? * interval '1 millisecond'
     from unnest(?::uuid[], ?::uuid[]) as held(streamer_id, connection_id)
     where o.streamer_id = held.streamer_id and o.connection_id = held.connection_id`,
    [leaseMs, ...columnsOf(leases)] as never,
  );
}

/** Releases the leases of these connections, because the server stops. The next step of any process settles their active playbacks. */
export async function releaseLeases(knex: Knex, held: readonly HeldLease[]): Promise<void> {
  if (held.length === 0) return;
  await knex.raw(
    `update overlays o set connection_id = null, player_until = least(player_until, clock_timestamp()), version = version + 1
     from unnest(?::uuid[], ?::uuid[]) as held(streamer_id, connection_id)
     where o.streamer_id = held.streamer_id and o.connection_id = held.connection_id`,
    columnsOf(held) as never,
  );
}

/** Whether one of the streamer's playbacks has this speech. */
export async function ownsSpeech(knex: Knex, streamerId: string, speechId: string): Promise<boolean> {
  const { rows } = await knex.raw<{ rows: { owns: boolean }[] }>(
    "select exists (select from playbacks where streamer_id = ? and speech_id = ?) as owns",
    [streamerId, speechId],
  );
  return rows[0]?.owns ?? false;
}

function columnsOf(held: readonly HeldLease[]): [string[], string[]] {
  return [held.map(({ streamerId }) => streamerId), held.map(({ connectionId }) => connectionId)];
}
