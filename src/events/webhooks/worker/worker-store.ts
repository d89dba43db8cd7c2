// All SQL of the processes that send. An endpoint belongs to one process at a time, as long as that is alive: everything that a process
// writes about an endpoint depends on that, so that a process which was replaced changes nothing any more.

import type { KeyObject } from "node:crypto";
import type { Knex } from "knex";
import type { BatchedReads } from "../../../db/batched-reads.ts";
import { eachPart, placed } from "../../../db/citus/layout.ts";
import type { Sealer } from "../../../db/secrets.ts";
import type { Scope } from "../../../http/operations.ts";
import { type EventType, scopeOfType } from "../../event.ts";
import { failRetries, openSecrets, type SecretColumns } from "../endpoints.ts";
import { openCommits } from "./commits.ts";

/** An endpoint of this process, as it stands now. Times are milliseconds since 1970. */
export type Held = Readonly<{
  id: string;
  streamerId: string;
  applicationId: string;
  url: string;
  secrets: readonly KeyObject[];
  /** What it gets: its own types as far as a credential of the application may read them. */
  types: readonly EventType[];
  withImported: boolean;
  /** Whether the application has a credential. */
  isConnected: boolean;
  position: number;
  failingSince: number | null;
  pausedUntil: number | null;
}>;

/** Something to do for an endpoint of this process: events that it has not got, or attempts that are due. */
export type Work = Readonly<{ id: string; streamerId: string; isBehind: boolean; isDue: boolean }>;

/** A delivery that is due. */
export type Due = Readonly<{ eventId: string; type: EventType; position: number; failures: number }>;

export type WorkerStore = ReturnType<typeof workerStore>;

type WorkerStoreDeps = {
  knex: Knex;
  /** For what became of deliveries: few connections, whose plans are kept. */
  deliveriesKnex: Knex;
  reads: BatchedReads;
  sealer: Sealer;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Id of this process. */
  workerId: string;
  /** How long the endpoints of a process that does not say that it is alive stay its own. */
  leaseMs: number;
};

const enabled = "deleted_at is null and disabled_reason is null";

export function workerStore({ knex, deliveriesKnex, reads, sealer, now, workerId, leaseMs }: WorkerStoreDeps) {
  const keys = cachedKeys(sealer);
  return {
    /** Says that this process is alive, and takes free endpoints up to its share. Resolves to how many it has above its share. */
    claim: async (): Promise<number> => {
      await knex.raw(renewLeaseSql, { workerId, leaseMs });
      const { rows } = await knex.raw<{ rows: [{ surplus: number }] }>(claimSql, { workerId });
      return rows[0].surplus;
    },

    /** Gives so many endpoints back that are not busy. Resolves to their ids. */
    release: async (count: number, busy: readonly string[]): Promise<string[]> => {
      const { rows } = await knex.raw<{ rows: { id: string }[] }>(releaseSql, { workerId, busy, count });
      const ids = rows.map(({ id }) => id);
      ids.forEach(keys.forget);
      return ids;
    },

    /** Gives everything back at once, because this process stops. */
    leave: async () => void (await knex("webhook_workers").where("id", workerId).delete()),

    /** What there is to do for the endpoints of this process. */
    work: (): Promise<Work[]> => findWork(knex, { workerId, now: now() }),

    /** Null when this process does not have it any more, or it is disabled. */
    load: async (id: string): Promise<Held | null> => {
      const [row] = await findHeld(reads, { id, workerId, now: now() });
      if (row) return toHeld(row, keys.of);
      keys.forget(id);
      return null;
    },

    /** The deliveries that are due, the oldest first. */
    due: (endpointId: string, limit: number): Promise<Due[]> =>
      knex
        .raw<{ rows: Due[] }>(
          `select event_id as "eventId", type, position, failures from webhook_deliveries
           where endpoint_id = ? and next_attempt_at <= from_millis(?) order by next_attempt_at, position limit ?`,
          [endpointId, now(), limit],
        )
        .then(({ rows }) => rows),

    commit: openCommits(deliveriesKnex, workerId),

    disconnect: (endpointId: string) =>
      knex.transaction(async (trx) => {
        const disabled = await trx("webhook_endpoints")
          .where({ id: endpointId, worker_id: workerId })
          .whereNull("disabled_reason")
          .update({ disabled_reason: "disconnected" });
        if (disabled > 0) await failRetries(trx, endpointId);
      }),
  };
}

type WorkRequest = { workerId: string; now: number };

const findWork = placed({
  onServer: async (knex, given: WorkRequest) => (await knex.raw<{ rows: Work[] }>(workSql("streamers s"), given)).rows,
  onNodes: findWorkOnNodes,
});

async function findWorkOnNodes(knex: Knex, given: WorkRequest): Promise<Work[]> {
  const { rows: streamers } = await knex.raw<{ rows: { id: string }[] }>(ownStreamersSql, given);
  const ends = await endsOf(
    knex,
    streamers.map(({ id }) => id),
  );
  const bindings = { ...given, ids: ends.map(({ id }) => id), ends: ends.map(({ end }) => end) };
  const { rows } = await knex.raw<{ rows: Work[] }>(workSql("unnest(:ids::uuid[], :ends::bigint[]) s(id, last_sequence)"), bindings);
  return rows;
}

/**
 * The endpoint when this process has it, with the scopes that its application can use now. Who has it is asked outside of the inner query, so
 * that no plan reads all endpoints of this process to find one, which is cheaper where there are few.
 */
function findHeld(reads: BatchedReads, { id, workerId, now }: { id: string; workerId: string; now: number }): Promise<HeldRow[]> {
  return reads<HeldRow>(
    (
      bind,
    ) => `select e.id, e.streamer_id as "streamerId", e.application_id as "applicationId", e.url, e.types, e.with_imported as "withImported", e.position, e.secret,
        case when e.previous_secret_until > from_millis(${bind(now, "bigint")}) then e.previous_secret end as "previousSecret",
        to_millis(e.failing_since) as "failingSince", to_millis(e.paused_until) as "pausedUntil",
        live_scopes(e.streamer_id, e.application_id) as scopes
      from (select * from webhook_endpoints where id = ${bind(id, "uuid")} offset 0) e
      where e.worker_id = ${bind(workerId, "uuid")} and ${enabled}`,
  );
}

type HeldRow = Omit<Held, "secrets" | "types" | "isConnected"> & SecretColumns & { types: EventType[]; scopes: Scope[] | null };

function toHeld({ types, scopes, secret, previousSecret, ...row }: HeldRow, keysOf: KeysOf): Held {
  return {
    ...row,
    secrets: keysOf(row.id, { secret, previousSecret }),
    types: types.filter((type) => scopes?.includes(scopeOfType(type))),
    isConnected: scopes !== null,
  };
}

type KeysOf = (endpointId: string, columns: SecretColumns) => readonly KeyObject[];

/** Opens secrets once, as long as the same are stored: opening one costs more than a signature. */
function cachedKeys(sealer: Sealer): { of: KeysOf; forget: (endpointId: string) => void } {
  const known = new Map<string, { stored: string; keys: readonly KeyObject[] }>();
  const of: KeysOf = (endpointId, columns) => {
    const stored = `${columns.secret.toString("base64")} ${columns.previousSecret?.toString("base64")}`;
    const cached = known.get(endpointId);
    if (cached?.stored === stored) return cached.keys;
    const keys = openSecrets(columns, sealer);
    known.set(endpointId, { stored, keys });
    return keys;
  };
  return { of, forget: (endpointId) => void known.delete(endpointId) };
}

const renewLeaseSql = `
  insert into webhook_workers (id, alive_until) values (:workerId, now() + :leaseMs * interval '1 millisecond')
  on conflict (id) do update set alive_until = excluded.alive_until`;

const claimSql = `
  with alive as materialized (select id from webhook_workers where alive_until > now()),
  counts as (
    select ceil(count(*)::numeric / greatest(1, (select count(*) from alive)))::int as share,
      (count(*) filter (where worker_id = :workerId))::int as own
    from webhook_endpoints where ${enabled}
  ),
  free as (
    select id from webhook_endpoints
    where ${enabled} and (worker_id is null or worker_id not in (select id from alive))
    order by id limit (select greatest(0, share - own) from counts) for update skip locked
  ),
  claimed as (update webhook_endpoints set worker_id = :workerId where id in (select id from free) returning id)
  select greatest(0, own - share) as surplus from counts`;

const releaseSql = `
  update webhook_endpoints set worker_id = null where id in (
    select id from webhook_endpoints where worker_id = :workerId and ${enabled} and id <> all(:busy) limit :count
  ) returning id`;

const ownStreamersSql = `select distinct streamer_id as id from webhook_endpoints where worker_id = :workerId and ${enabled}`;

/** The ends of the logs, which are on the streamers' nodes. */
const endsOf = (knex: Knex, streamerIds: readonly string[]) =>
  eachPart(knex, streamerIds, async (ids) => {
    const ends = "select id, last_sequence as end from streamers where id = any(?::uuid[])";
    return (await knex.raw<{ rows: { id: string; end: number }[] }>(ends, [ids])).rows;
  });

/** `ends`: where the ends of the logs are read. Of a streamer that is missing there only what is due is known. */
const workSql = (ends: string) => `
  select * from (
    select e.id, e.streamer_id as "streamerId",
      coalesce(s.last_sequence, 0) > e.position and (e.paused_until is null or e.paused_until <= from_millis(:now)) as "isBehind",
      exists (select from webhook_deliveries d where d.endpoint_id = e.id and d.next_attempt_at <= from_millis(:now)) as "isDue"
    from webhook_endpoints e left join ${ends} on s.id = e.streamer_id
    where e.worker_id = :workerId and ${enabled}
  ) as mine where "isBehind" or "isDue"`;
