// Statements that each process runs for all of its connections at once.

import type { Knex } from "knex";
import type { Times } from "../timeouts.ts";

export type Mark = { streamerId: string; lastSequence: number; version: number /** Nobody holds the lease. */; free: boolean };
export type Held = { streamerId: string; connectionId: string };

/** How far these streamers are. */
export async function readMarks(knex: Knex, streamerIds: readonly string[]): Promise<Mark[]> {
  const { rows } = await knex.raw<{ rows: Mark[] }>(
    `select s.id as "streamerId", s.last_sequence as "lastSequence", coalesce(o.version, 0)::bigint as version,
       coalesce(o.player_until < clock_timestamp(), true) as free
     from unnest(?::uuid[]) as asked(id) join streamers s on s.id = asked.id left join overlays o on o.streamer_id = s.id`,
    [streamerIds] as never,
  );
  return rows;
}

/** Prolongs the leases of those of these connections that have one. */
export async function renewLeases(knex: Knex, held: readonly Held[], { lease }: Times): Promise<void> {
  await knex.raw(
    `update overlays o set player_until = clock_timestamp() + ? * interval '1 millisecond'
     from unnest(?::uuid[], ?::uuid[]) as held(streamer_id, connection_id)
     where o.streamer_id = held.streamer_id and o.connection_id = held.connection_id`,
    [lease, ...columnsOf(held)] as never,
  );
}

/** Lets go of the leases of these connections: the server leaves. What they had in hand is judged by whoever comes next. */
export async function releaseLeases(knex: Knex, held: readonly Held[]): Promise<void> {
  if (held.length === 0) return;
  await knex.raw(
    `update overlays o set connection_id = null, player_until = least(player_until, clock_timestamp()), version = version + 1
     from unnest(?::uuid[], ?::uuid[]) as held(streamer_id, connection_id)
     where o.streamer_id = held.streamer_id and o.connection_id = held.connection_id`,
    columnsOf(held) as never,
  );
}

/** Whether this piece of speech is one of the streamer's own. */
export async function ownsSpeech(knex: Knex, streamerId: string, speechId: string): Promise<boolean> {
  const { rows } = await knex.raw<{ rows: { owns: boolean }[] }>(
    "select exists (select from playbacks where streamer_id = ? and speech_id = ?) as owns",
    [streamerId, speechId],
  );
  return rows[0]?.owns ?? false;
}

function columnsOf(held: readonly Held[]): [string[], string[]] {
  return [held.map(({ streamerId }) => streamerId), held.map(({ connectionId }) => connectionId)];
}
