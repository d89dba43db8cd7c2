// All SQL about webhook endpoints as their application sees them. What a worker does with them is in worker-store.ts.

import { createSecretKey, type KeyObject } from "node:crypto";
import type { Knex } from "knex";
import { type AuditAction, audited, recordAudit } from "../../audit/audit-log.ts";
import { lockByName } from "../../db/advisory-lock.ts";
import type { Sealer } from "../../db/secrets.ts";
import type { SqlBinding } from "../../db/sql-values.ts";
import type { Schemas, Scope } from "../../http/operations.ts";
import type { EventType } from "../event.ts";

export type DisabledReason = Schemas["WebhookDisabledReason"];

/** Who owns endpoints. */
export type Owner = Readonly<{ streamerId: string; applicationId: string }>;

/** Times are milliseconds since 1970. */
export type Endpoint = Readonly<{
  id: string;
  url: string;
  description: string;
  types: EventType[];
  withImported: boolean;
  disabledReason: DisabledReason | null;
  failingSince: number | null;
  /** Null, or in the past: there is no previous secret. */
  previousSecretUntil: number | null;
  createdAt: number;
}>;

type NewEndpoint = Pick<Endpoint, "id" | "url" | "description" | "types" | "withImported"> & { secret: Buffer };

type EndpointChange = Partial<Pick<NewEndpoint, "url" | "description" | "types" | "withImported"> & { enabled: boolean }>;

/** `replaces`: the secret's previousSecretUntil, null when no previous secret signs; undefined replaces whichever secret there is. */
export type Rotation = Readonly<{ secret: Buffer; until: number; replaces?: number | null }>;

export type WebhookApplication = Readonly<{
  id: string;
  name: string;
  /** False for an OAuth client. */
  isOwn: boolean;
  /** What the live credentials of the application may read of the streamer together; empty when it has none. */
  scopes: readonly Scope[];
  /** Ids of its endpoints for this streamer. */
  webhooks: readonly string[];
}>;

export type EndpointStore = ReturnType<typeof endpointStore>;

const columns = `id, url, description, types, with_imported as "withImported", disabled_reason as "disabledReason", to_millis(failing_since) as "failingSince",
  to_millis(previous_secret_until) as "previousSecretUntil", to_millis(created_at) as "createdAt"`;
/** Binds the present and a Rotation's `replaces`. Of two updates at once, the second one looks again when the first has committed. */
const isOfSecret =
  "case when previous_secret_until > from_millis(?) then previous_secret_until end is not distinct from from_millis(?::bigint)";
const owned = "streamer_id = ? and application_id = ? and deleted_at is null";

/** `now`: milliseconds since 1970. */
export function endpointStore(knex: Knex, sealer: Sealer, now: () => number) {
  const one = async (sql: string, bindings: SqlBinding[]) => (await rowsOf(knex, sql, bindings))[0] ?? null;
  const key = ({ streamerId, applicationId }: Owner, id: string) => [streamerId, applicationId, id];
  return {
    /** Null when the owner has `max` endpoints already. It gets what happens from now on. */
    insert: (owner: Owner, endpoint: NewEndpoint, max: number) => insert(knex, { owner, max, now: now(), sealer }, endpoint),

    /** The owner's endpoints, oldest first. */
    list: (owner: Owner): Promise<Endpoint[]> =>
      rowsOf(knex, `select ${columns} from webhook_endpoints where ${owned} order by created_at, id`, [
        owner.streamerId,
        owner.applicationId,
      ]),

    /** Null when the owner has no such endpoint; so everywhere below. */
    find: (owner: Owner, id: string): Promise<Endpoint | null> =>
      one(`select ${columns} from webhook_endpoints where ${owned} and id = ?`, key(owner, id)),

    update: async (owner: Owner, id: string, { enabled, withImported, ...others }: EndpointChange): Promise<Endpoint | null> =>
      knex.transaction(async (trx) => {
        const change = { ...others, ...(withImported !== undefined && { with_imported: withImported }) };
        const found = trx("webhook_endpoints").whereRaw(`${owned} and id = ?`, key(owner, id));
        if (Object.keys(change).length > 0) await found.clone().update(change);
        if (enabled === true) await enable(trx, owner, id);
        if (enabled === false && (await found.clone().whereNull("disabled_reason").update({ disabled_reason: "requested" })) > 0)
          await failRetries(trx, id);
        const [endpoint] = await rowsOf(trx, `select ${columns} from webhook_endpoints where ${owned} and id = ?`, key(owner, id));
        const members = Object.keys({
          ...others,
          ...(withImported !== undefined && { withImported }),
          ...(enabled !== undefined && { enabled }),
        });
        if (endpoint) await recordAudit(trx, { ...lineOf("webhook.changed", owner, id), details: { members } });
        return endpoint ?? null;
      }),

    /** Its secrets are deleted at once, its deliveries later. False when there was none. */
    remove: (owner: Owner, id: string): Promise<boolean> =>
      audited(
        knex,
        (trx) => removeOne(trx, key(owner, id)),
        (isRemoved) => (isRemoved ? lineOf("webhook.removed", owner, id) : null),
      ),

    /** Replaces the secret; the one before signs as well until `until`. Also null when the secret is not the one that `replaces` names. */
    rotate: (owner: Owner, id: string, { secret, until, replaces }: Rotation): Promise<Endpoint | null> =>
      audited(
        knex,
        async (trx) =>
          (
            await rowsOf(
              trx,
              `update webhook_endpoints set previous_secret = secret, previous_secret_until = from_millis(?), secret = ?
               where ${owned} and id = ?${replaces === undefined ? "" : ` and ${isOfSecret}`} returning ${columns}`,
              [until, sealer.seal(secret), ...key(owner, id), ...(replaces === undefined ? [] : [now(), replaces])],
            )
          )[0] ?? null,
        (endpoint) => endpoint && lineOf("webhook.secret_rotated", owner, id),
      ),

    /** The secrets that sign, the newest first. */
    secrets: async (owner: Owner, id: string): Promise<KeyObject[]> => {
      const [row] = await rowsOf<SecretColumns>(knex, `select ${secretColumns} from webhook_endpoints where ${owned} and id = ?`, [
        now(),
        ...key(owner, id),
      ]);
      return row ? openSecrets(row, sealer) : [];
    },
  };
}

/** The streamer's own applications, and the others that have an endpoint for the streamer, by name. */
export async function webhookApplications(knex: Knex, streamerId: string): Promise<WebhookApplication[]> {
  const { rows } = await knex.raw<{ rows: WebhookApplication[] }>(
    `with endpoints as (
       select application_id, array_agg(id::text) as ids from webhook_endpoints
       where streamer_id = :streamerId and deleted_at is null group by application_id)
     select a.id, a.name, a.streamer_id is not null as "isOwn",
       coalesce(live_scopes(:streamerId, a.id), '{}') as scopes, coalesce(e.ids, '{}') as webhooks
     from applications a left join endpoints e on e.application_id = a.id
     where a.streamer_id = :streamerId or e.application_id is not null
     order by a.name, a.id`,
    { streamerId },
  );
  return rows;
}

export type SecretColumns = { secret: Buffer; previousSecret: Buffer | null };

/** Binds the present, in milliseconds since 1970. */
const secretColumns = `secret, case when previous_secret_until > from_millis(?) then previous_secret end as "previousSecret"`;

/** The secrets that sign, the newest first. */
export function openSecrets({ secret, previousSecret }: SecretColumns, sealer: Sealer): KeyObject[] {
  return [secret, ...(previousSecret ? [previousSecret] : [])].map((sealed) => createSecretKey(sealer.open(sealed)));
}

/** The line of the audit log about an endpoint, without details. */
function lineOf(action: AuditAction, { streamerId }: Owner, id: string) {
  return { streamerId, action, target: id } as const;
}

async function removeOne(trx: Knex, key: SqlBinding[]): Promise<boolean> {
  const { rowCount } = await trx.raw<{ rowCount: number }>(
    `update webhook_endpoints set deleted_at = now(), secret = '', previous_secret = null, worker_id = null where ${owned} and id = ?`,
    key,
  );
  return rowCount > 0;
}

/** Deliveries of a disabled endpoint are not retried. */
export async function failRetries(knex: Knex, endpointId: string): Promise<void> {
  await knex.raw("update webhook_deliveries set status = 'failed', next_attempt_at = null where endpoint_id = ? and status = 'retrying'", [
    endpointId,
  ]);
}

type Insertion = { owner: Owner; max: number; now: number; sealer: Sealer };

function insert(knex: Knex, { owner, max, now, sealer }: Insertion, { secret, ...endpoint }: NewEndpoint): Promise<Endpoint | null> {
  const { streamerId, applicationId } = owner;
  return knex.transaction(async (trx) => {
    await lockByName(trx, `webhooks ${streamerId} ${applicationId}`); // counted one by one
    const { id, url, description, types, withImported } = endpoint;
    const [row] = await rowsOf<Endpoint>(
      trx,
      `insert into webhook_endpoints (id, streamer_id, application_id, url, description, types, with_imported, secret, created_at, position)
       select ?, s.id, ?, ?, ?, ?, ?, ?, from_millis(?), s.last_sequence from streamers s
       where s.id = ? and (select count(*) from webhook_endpoints where ${owned}) < ? returning ${columns}`,
      [id, applicationId, url, description, types, withImported, sealer.seal(secret), now, streamerId, streamerId, applicationId, max],
    );
    if (row) await recordAudit(trx, { ...lineOf("webhook.created", owner, id), details: { host: new URL(url).host, types } });
    return row ?? null;
  });
}

/** A disabled endpoint goes on with what happens from now on. */
async function enable(trx: Knex, { streamerId, applicationId }: Owner, id: string): Promise<void> {
  const { last_sequence: position } = await trx("streamers").where({ id: streamerId }).first("last_sequence");
  await trx.raw(
    `update webhook_endpoints e set disabled_reason = null, failing_since = null, paused_until = null, position = ?
     where ${owned} and e.id = ? and disabled_reason is not null`,
    [position, streamerId, applicationId, id],
  );
}

async function rowsOf<Row = Endpoint>(knex: Knex, sql: string, bindings: SqlBinding[]): Promise<Row[]> {
  const { rows } = await knex.raw<{ rows: Row[] }>(sql, bindings);
  return rows;
}
