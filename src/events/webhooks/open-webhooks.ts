// Opens the webhooks: their operations, the worker that sends, and the task that cleans up.

import type { Knex } from "knex";
import { batchedReads } from "../../db/batched-reads.ts";
import type { ProcessDeps } from "../../db/database.ts";
import { newId } from "../../db/ids.ts";
import { pools } from "../../db/pools.ts";
import type { Sealer } from "../../db/secrets.ts";
import type { CursorCodec } from "../../http/cursor.ts";
import type { Scope } from "../../http/operations.ts";
import type { Fault } from "../../http/problem.ts";
import { startIntervalTask } from "../../telemetry/interval-task.ts";
import { eventLog } from "../log.ts";
import { deliveryStore, retentionMs } from "./deliveries.ts";
import { listWebhookDeliveries, recoverWebhook, redeliverWebhook, sendTestEvent } from "./delivery-handlers.ts";
import { endpointStore, type Owner } from "./endpoints.ts";
import { countEndpoints, oldestUndelivered } from "./gauges.ts";
import {
  createWebhook,
  deleteWebhook,
  findRefusals,
  getWebhook,
  listWebhooks,
  rotateSecret,
  rotateWebhookSecret,
  updateWebhook,
} from "./handlers.ts";
import { resolverFor } from "./request/address.ts";
import { sender } from "./request/send.ts";
import { startWorker } from "./worker/worker.ts";
import { workerStore } from "./worker/worker-store.ts";

type WebhookSources = Readonly<{ sealer: Sealer; cursors: CursorCodec }>;

export type WebhooksService = ReturnType<typeof openWebhooks>;

/** How long the endpoints of a process that was killed wait for another. */
const leaseMs = 5_000;
const sweepMs = 60_000;

const rowsPerCleanUp = 5_000;
const batch = `limit ${rowsPerCleanUp}`;

/** `knex`: the pool of the tasks. */
export function openWebhooks({ config, database, log, metrics }: ProcessDeps, knex: Knex, { sealer, cursors }: WebhookSources) {
  const deliveriesKnex = database.pool(pools.deliveries);
  const now = Date.now;
  const rules = { mode: config.webhooks, ports: config.webhookPorts };
  const connect = sender({ ...rules, resolve: resolverFor(rules.mode), userAgent: `${config.brand}-webhooks/1`, now });
  const reads = batchedReads(deliveriesKnex);
  const worker = startWorker(
    {
      store: workerStore({ knex, deliveriesKnex, reads, sealer, now, workerId: newId(), leaseMs }),
      events: eventLog(knex, reads),
      random: Math.random,
      now,
      onAttempt: ({ attempt }) => metrics.webhookAttempt(attempt.error === null ? "succeeded" : "failed"),
    },
    connect,
    log,
  );
  const sweep = startIntervalTask({ pauseMs: sweepMs, log, failureMessage: "can't clean webhooks up" }, async () => {
    await disableDisconnected(knex);
    return cleanUpWebhooks(knex);
  });
  const wake = () => void worker.tick().catch(() => {}); // the next tick is a second away
  const endpoints = endpointStore(database.knex, sealer, now);
  const deliveries = deliveryStore(database.knex, now);
  return {
    operations: {
      createWebhook: createWebhook(endpoints, rules, wake),
      listWebhooks: listWebhooks(endpoints),
      getWebhook: getWebhook(endpoints),
      updateWebhook: updateWebhook(endpoints, rules, wake),
      deleteWebhook: deleteWebhook(endpoints),
      rotateWebhookSecret: rotateWebhookSecret(endpoints),
      listWebhookDeliveries: listWebhookDeliveries(endpoints, deliveries, cursors),
      redeliverWebhook: redeliverWebhook(endpoints, deliveries, wake),
      recoverWebhook: recoverWebhook(endpoints, deliveries, wake),
      sendTestEvent: sendTestEvent(endpoints, connect),
    },
    /** Gives an endpoint a new secret in place of the one that `replaces` names. Null when it has another one. */
    rotate: (owner: Owner, id: string, replaces: number | null) => rotateSecret(endpoints, owner, { id, replaces }),
    /** Why createWebhook and updateWebhook would refuse this body, beside what the contract's schema says of it, for credentials of these scopes. */
    findRefusals: (scopes: readonly Scope[], body: Readonly<Record<string, unknown>>): readonly Fault[] =>
      findRefusals(rules, scopes, body),
    /** Something happened to this streamer, in this process or another. */
    hint: worker.hint,
    /** Number of endpoints by state. */
    endpoints: () => countEndpoints(knex),
    /** Seconds since the oldest event that has not arrived, by state. */
    undelivered: () => oldestUndelivered(knex),
    close: async () => {
      await worker.stop();
      await sweep.stop();
    },
  };
}

/** Resolves to true when there is more to delete. */
export async function cleanUpWebhooks(knex: Knex): Promise<boolean> {
  const deleted = async (sql: string) => (await knex.raw<{ rowCount: number }>(sql)).rowCount;
  const old = await deleted(
    `delete from webhook_deliveries where ctid = any(array(select ctid from webhook_deliveries
     where created_at < now() - interval '${retentionMs / 1000} seconds' order by created_at ${batch}))`,
  );
  const orphaned = await deleted(
    `delete from webhook_deliveries where ctid = any(array(select d.ctid from webhook_endpoints e
     join webhook_deliveries d on d.endpoint_id = e.id where e.deleted_at is not null ${batch}))`,
  );
  await knex.raw(
    `delete from webhook_endpoints e where deleted_at is not null and not exists (select from webhook_deliveries d where d.endpoint_id = e.id)`,
  );
  await knex.raw("delete from webhook_workers where alive_until < now() - interval '1 hour'");
  return old === rowsPerCleanUp || orphaned === rowsPerCleanUp;
}

/** An endpoint without a credential of its application gets nothing; this says so also where nothing happens. */
async function disableDisconnected(knex: Knex): Promise<void> {
  await knex.raw(
    `with disconnected as (
       update webhook_endpoints set disabled_reason = 'disconnected'
       where deleted_at is null and disabled_reason is null and live_scopes(streamer_id, application_id) is null returning id
     )
     update webhook_deliveries set status = 'failed', next_attempt_at = null
     where endpoint_id in (select id from disconnected) and status = 'retrying'`,
  );
}
