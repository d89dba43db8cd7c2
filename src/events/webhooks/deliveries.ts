// Deliveries as the application of an endpoint sees them: all SQL about them, and how the contract shows them.

import type { Knex } from "knex";
import { formatInstant, formatInstantOrNull } from "../../base/instant.ts";
import { msPerDay } from "../../base/local-days.ts";
import { isImported } from "../../donations/import/import-store.ts";
import type { Schemas } from "../../http/operations.ts";
import type { Event, EventType } from "../event.ts";

export type DeliveryStatus = Schemas["WebhookDeliveryStatus"];

/** A request to an endpoint. `at`: milliseconds since 1970; `ms`: how long it took. Stored as JSON. */
export type Attempt = Readonly<{ at: number; status: number | null; ms: number; answer: string | null; error: string | null }>;

/** Times are milliseconds since 1970. */
export type Delivery = Readonly<{
  eventId: string;
  type: EventType;
  occurredAt: number;
  status: DeliveryStatus;
  attempts: Attempt[];
  nextAttemptAt: number | null;
}>;

type DeliveryPage = Readonly<{ statuses: readonly DeliveryStatus[]; before: string | null; limit: number }>;

export type DeliveryStore = ReturnType<typeof deliveryStore>;

export const deliveryStatuses: readonly DeliveryStatus[] = ["succeeded", "retrying", "failed"];

const columns = `event_id as "eventId", type, to_millis(occurred_at) as "occurredAt", status, attempts, to_millis(next_attempt_at) as "nextAttemptAt"`;

/** Until when deliveries are kept, and how far back events are sent again. */
export const retentionMs = 30 * msPerDay;

/** Positions of the log that one statement sends again: all of 30 days would take longer than a statement may. */
const recoveryWindow = 5_000;

/** The caller has checked whose endpoint it is. `window`: see recoveryWindow. */
export function deliveryStore(knex: Knex, now: () => number, window = recoveryWindow) {
  return {
    /** The latest event first. */
    page: (endpointId: string, page: DeliveryPage): Promise<Delivery[]> => readPage(knex, endpointId, page),

    /** Sends an event again. Null when the endpoint has no such delivery. */
    redeliver: async (endpointId: string, eventId: string): Promise<Delivery | null> => {
      const { rows } = await knex.raw<{ rows: Delivery[] }>(
        `update webhook_deliveries set status = 'retrying', failures = 0, next_attempt_at = from_millis(?)
         where endpoint_id = ? and event_id = ? returning ${columns}`,
        [now(), endpointId, eventId],
      );
      return rows[0] ?? null;
    },

    /**
     * Sends again what happened since then and did not arrive. Resolves to the number of events. What is done stays when it is broken off,
     * and repeating it does the rest.
     */
    recover: async (endpointId: string, streamerId: string, since: number): Promise<number> => {
      const from = Math.max(since, now() - retentionMs);
      const endpoint = await knex("webhook_endpoints").where({ id: endpointId }).first("position");
      let count = 0;
      for (let after = await positionBefore(knex, streamerId, from); after < Number(endpoint?.position ?? 0); after += window) {
        const request = { endpointId, streamerId, after, upTo: after + window, from, now: now() };
        const { rowCount } = await knex.raw<{ rowCount: number }>(recovery, request);
        count += rowCount;
      }
      return count;
    },
  };
}

/** Each status has an index that its rows are read from in order, so each is written into the statement, not bound. */
async function readPage(knex: Knex, endpointId: string, { statuses, before, limit }: DeliveryPage): Promise<Delivery[]> {
  const from = (where: string) =>
    `(select ${columns} from webhook_deliveries where endpoint_id = :endpointId ${where}
      ${before === null ? "" : "and event_id < :before"} order by event_id desc limit :limit)`;
  const parts =
    statuses.length === deliveryStatuses.length
      ? [from("")]
      : deliveryStatuses.filter((status) => statuses.includes(status)).map((status) => from(`and status = '${status}'`));
  const { rows } = await knex.raw<{ rows: Delivery[] }>(
    `select * from (${parts.join(" union all ")}) as parts order by "eventId" desc limit :limit`,
    { endpointId, limit, ...(before !== null && { before }) },
  );
  return rows;
}

/** A number of the log before which everything was recorded before that time: a search by halves, because donations have no index by it. */
async function positionBefore(knex: Knex, streamerId: string, at: number): Promise<number> {
  const streamer = await knex("streamers").where({ id: streamerId }).first("last_sequence");
  let [low, high] = [0, Number(streamer?.last_sequence ?? 0)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { rows } = await knex.raw<{ rows: { sequence: number; isLater: boolean }[] }>(
      `select sequence, received_at >= from_millis(?) as "isLater" from donations
       where streamer_id = ? and sequence > ? order by sequence limit 1`,
      [at, streamerId, middle],
    );
    const next = rows[0];
    if (!next || next.isLater) high = middle;
    else low = next.sequence;
  }
  return low;
}

/**
 * What the worker has not come to yet (after its position) it will send anyway. The streamer is a value for each table, so that Citus asks
 * one shard.
 */
const recovery = `
  with endpoint as (select id, types, with_imported, position from webhook_endpoints where id = :endpointId),
  happened as (
    select d.id as event_id, 'donation.created' as type, d.sequence, d.received_at as occurred_at
    from endpoint e join donations d on d.streamer_id = :streamerId
    where 'donation.created' = any(e.types) and d.sequence > :after and d.sequence <= least(:upTo, e.position) and d.received_at >= from_millis(:from)
      and (e.with_imported or not ${isImported(":streamerId", "d.sequence")})
    union all
    select v.id, v.type, v.sequence, v.occurred_at
    from endpoint e cross join unnest(e.types) as wanted(type) join events v on v.streamer_id = :streamerId and v.type = wanted.type
      left join donations d on d.streamer_id = :streamerId and d.id = v.donation_id
    where v.sequence > :after and v.sequence <= least(:upTo, e.position) and v.occurred_at >= from_millis(:from)
      and (e.with_imported or v.type not like 'donation.%' or not ${isImported(":streamerId", "d.sequence")})
  )
  insert into webhook_deliveries as known (endpoint_id, event_id, type, position, occurred_at, status, failures, attempts, next_attempt_at)
  select (select id from endpoint), event_id, type, sequence, occurred_at, 'retrying', 0, '[]', from_millis(:now) from happened
  on conflict (endpoint_id, event_id) do update set status = 'retrying', failures = 0, next_attempt_at = excluded.next_attempt_at
  where known.status <> 'succeeded'`;

export function toDelivery({ eventId, type, occurredAt, status, attempts, nextAttemptAt }: Delivery): Schemas["WebhookDelivery"] {
  return {
    id: eventId,
    type,
    timestamp: formatInstant(occurredAt),
    status,
    attempts: attempts.map(toAttempt),
    nextAttemptAt: formatInstantOrNull(nextAttemptAt),
  };
}

export function toAttempt({ at, status, ms, answer, error }: Attempt): Schemas["WebhookAttempt"] {
  return { at: formatInstant(at), status, milliseconds: ms, answer, error };
}

/** Its id is sent as `webhook-id`. */
export function bodyOf({ type, timestamp, data }: Event): string {
  return JSON.stringify({ type, timestamp, data });
}
