// What operators watch of webhooks, read from the database.

import type { Knex } from "knex";
import { placed } from "../../db/citus/layout.ts";

type EndpointState = "working" | "failing" | "disabled";

export async function countEndpoints(knex: Knex): Promise<Record<EndpointState, number>> {
  const { rows } = await knex.raw<{ rows: [Record<EndpointState, number>] }>(
    `select count(*) filter (where disabled_reason is null and failing_since is null)::int as working,
       count(*) filter (where disabled_reason is null and failing_since is not null)::int as failing,
       count(*) filter (where disabled_reason is not null)::int as disabled
     from webhook_endpoints where deleted_at is null`,
  );
  return rows[0];
}

/**
 * waiting: for the first attempt, at an endpoint that works; failing: the same at one whose last attempt failed; disabled: at a disabled one, as
 * long as nobody enables it; retrying: an attempt failed, and another follows.
 */
type UndeliveredState = "waiting" | "retrying" | "failing" | "disabled";

/** Seconds since the oldest event that has not arrived, by state; 0: there is none. A delivery that was given up is not counted. */
export async function oldestUndelivered(knex: Knex): Promise<Record<UndeliveredState, number>> {
  return {
    waiting: await oldestWaiting(knex, works),
    retrying: await oldestRetrying(knex),
    failing: await oldestWaiting(knex, `${fails} order by e.failing_since limit ${maxEndpoints}`),
    disabled: await oldestWaiting(knex, `${isDisabled} order by e.failing_since, e.id limit ${maxEndpoints}`),
  };
}

const works = "e.deleted_at is null and e.disabled_reason is null and e.failing_since is null";
const fails = "e.deleted_at is null and e.disabled_reason is null and e.failing_since is not null";
const isDisabled = "e.deleted_at is null and e.disabled_reason is not null";

/** Endpoints of one state that do not work and that one look covers, those first that have failed for longest. Nearly all that work are up to date. */
const maxEndpoints = 1_000;

/** `which`: a condition on endpoints `e`. */
async function oldestOfAll(knex: Knex, which: string): Promise<number> {
  const { rows } = await knex.raw<{ rows: [{ seconds: number }] }>(
    `select coalesce(extract(epoch from clock_timestamp() - min(waiting.at)), 0)::float as seconds
     from (select e.streamer_id, e.position, e.types from webhook_endpoints e join streamers s on s.id = e.streamer_id
       where s.last_sequence > e.position and ${which}) as e
     cross join lateral (${waiting}) as waiting`,
  );
  return Math.max(0, rows[0].seconds);
}

/** The ids of events rise with their times, so that one row of an endpoint tells its oldest event. */
async function oldestRetrying(knex: Knex): Promise<number> {
  const { rows } = await knex.raw<{ rows: [{ seconds: number }] }>(
    `select coalesce(extract(epoch from clock_timestamp() - min(oldest.occurred_at)), 0)::float as seconds
     from (select e.id from webhook_endpoints e where e.deleted_at is null and e.disabled_reason is null
       order by e.failing_since, e.id limit ${maxEndpoints}) as e
     cross join lateral (select d.occurred_at from webhook_deliveries d where d.endpoint_id = e.id and d.status = 'retrying'
       order by d.event_id limit 1) as oldest`,
  );
  return Math.max(0, rows[0].seconds);
}

/** The first event of each kind that an endpoint `e` waits for. */
const waiting = `
  (select d.received_at as at from donations d where 'donation.created' = any(e.types)
     and d.streamer_id = e.streamer_id and d.sequence > e.position order by d.sequence limit 1)
  union all
  (select v.occurred_at from unnest(e.types) as wanted(type) cross join lateral (
     select occurred_at from events where streamer_id = e.streamer_id and type = wanted.type and sequence > e.position
     order by sequence limit 1) as v)`;

/** Endpoints that one look at the nodes covers; of more it takes some at random. */
const maxLooks = 100;

/** Each endpoint is a question of its own to the streamer's node, so that not all are asked about. */
async function oldestOfSome(knex: Knex, which: string): Promise<number> {
  const { rows: endpoints } = await knex.raw<{ rows: { streamer: string; position: number; types: string[] }[] }>(
    `select * from (select e.streamer_id as streamer, e.position, e.types from webhook_endpoints e where ${which}) as e
     order by random() limit ${maxLooks}`,
  );
  const seconds = [0];
  for (const { streamer, position, types } of endpoints) {
    const { rows } = await knex.raw<{ rows: [{ seconds: number }] }>(
      `select coalesce(extract(epoch from now() - min(waiting.at)), 0)::float as seconds
       from (select id as streamer_id, ?::bigint as position, ?::text[] as types from streamers where id = ?) as e
       cross join lateral (${waiting}) as waiting`,
      [position, types, streamer],
    );
    seconds.push(rows[0].seconds);
  }
  return Math.max(...seconds);
}

const oldestWaiting = placed({ onServer: oldestOfAll, onNodes: oldestOfSome });
