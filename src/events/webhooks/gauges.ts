// What operators watch of webhooks, read from the database.

import type { Knex } from "knex";
import { isDistributed } from "../../db/citus/distributed.ts";

export type EndpointState = "working" | "failing" | "disabled";

/** Number of endpoints by state. */
export async function countEndpoints(knex: Knex): Promise<Record<EndpointState, number>> {
  const { rows } = await knex.raw<{ rows: [Record<EndpointState, number>] }>(
    `select count(*) filter (where disabled_reason is null and failing_since is null)::int as working,
       count(*) filter (where disabled_reason is null and failing_since is not null)::int as failing,
       count(*) filter (where disabled_reason is not null)::int as disabled
     from webhook_endpoints where deleted_at is null`,
  );
  return rows[0];
}

/** Seconds since the oldest event that waits for its first attempt, at endpoints that work; 0: none waits. */
export async function oldestUndelivered(knex: Knex): Promise<number> {
  if (isDistributed(knex)) return oldestOfSome(knex);
  const { rows } = await knex.raw<{ rows: [{ seconds: number }] }>(
    `select coalesce(extract(epoch from clock_timestamp() - min(waiting.at)), 0)::float as seconds
     from webhook_endpoints e join streamers s on s.id = e.streamer_id
     cross join lateral (${waiting}) as waiting
     where ${works} and s.last_sequence > e.position`,
  );
  return Math.max(0, rows[0].seconds);
}

const works = "e.deleted_at is null and e.disabled_reason is null and e.failing_since is null";

/** The first event of each kind that an endpoint `e` waits for. */
const waiting = `
  (select d.received_at as at from donations d where 'donation.created' = any(e.types)
     and d.streamer_id = e.streamer_id and d.sequence > e.position order by d.sequence limit 1)
  union all
  (select v.occurred_at from unnest(e.types) as wanted(type) cross join lateral (
     select occurred_at from events where streamer_id = e.streamer_id and type = wanted.type and sequence > e.position
     order by sequence limit 1) as v)`;

/** Endpoints that one look at a distributed database covers; of more it takes some at random. */
const maxLooks = 100;

/** Where the database is distributed, each endpoint is a question of its own to the streamer's node, so that not all are asked about. */
async function oldestOfSome(knex: Knex): Promise<number> {
  const { rows: endpoints } = await knex.raw<{ rows: { streamer: string; position: number; types: string[] }[] }>(
    `select e.streamer_id as streamer, e.position, e.types from webhook_endpoints e where ${works} order by random() limit ${maxLooks}`,
  );
  const seconds = [0];
  for (const { streamer, position, types } of endpoints) {
    const { rows } = await knex.raw<{ rows: [{ seconds: number }] }>(
      `select coalesce(extract(epoch from now() - min(waiting.at)), 0)::float as seconds
       from (select id as streamer_id, ?::bigint as position, ?::text[] as types from streamers where id = ?) as e
       cross join lateral (${waiting}) as waiting`,
      [position, types, streamer] as never,
    );
    seconds.push(rows[0].seconds);
  }
  return Math.max(...seconds);
}
