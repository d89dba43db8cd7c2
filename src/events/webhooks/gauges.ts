// What operators watch of webhooks, read from the database.

import type { Knex } from "knex";

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
  const { rows } = await knex.raw<{ rows: [{ seconds: number }] }>(
    `select coalesce(extract(epoch from clock_timestamp() - min(waiting.at)), 0)::float as seconds
     from webhook_endpoints e join streamers s on s.id = e.streamer_id
     cross join lateral (
       (select d.received_at as at from donations d where 'donation.created' = any(e.types)
          and d.streamer_id = e.streamer_id and d.sequence > e.position order by d.sequence limit 1)
       union all
       (select v.occurred_at from unnest(e.types) as wanted(type) cross join lateral (
          select occurred_at from events where streamer_id = e.streamer_id and type = wanted.type and sequence > e.position
          order by sequence limit 1) as v)
     ) as waiting
     where e.deleted_at is null and e.disabled_reason is null and e.failing_since is null and s.last_sequence > e.position`,
  );
  return Math.max(0, rows[0].seconds);
}
