// Opens the webhooks: their operations, and the worker that sends.

import type { Knex } from "knex";
import type { Logger } from "pino";
import type { Config } from "../../config.ts";
import { batchedReads } from "../../db/batched-reads.ts";
import { findTraces } from "../../db/donation-traces.ts";
import { newId } from "../../db/ids.ts";
import type { Sealer } from "../../db/secrets.ts";
import type { CursorCodec } from "../../http/cursor.ts";
import type { Schemas, Scope } from "../../http/operations.ts";
import type { Fault } from "../../http/problem.ts";
import { startIntervalTask } from "../../telemetry/interval-task.ts";
import { type DonationReader, eventLog } from "../log.ts";
import { deliveryStore } from "./endpoints/deliveries.ts";
import * as delivery from "./endpoints/delivery-handlers.ts";
import { endpointStore, type Owner } from "./endpoints/endpoints.ts";
import { findRefusals } from "./endpoints/find-refusals.ts";
import * as endpoint from "./endpoints/handlers.ts";
import { countEndpoints, type EndpointState, oldestUndelivered, type UndeliveredState } from "./gauges.ts";
import { resolverFor } from "./request/address.ts";
import { sender } from "./request/send.ts";
import { cleanUpWebhooks, disableDisconnected } from "./worker/clean-up.ts";
import { startWorker } from "./worker/worker.ts";
import { workerStore } from "./worker/worker-store.ts";

export type WebhooksDeps = {
  /** For requests. */
  requestsKnex: Knex;
  /** For tasks. */
  knex: Knex;
  /** For batches of deliveries. */
  deliveriesKnex: Knex;
  log: Logger;
  donations: DonationReader;
  /** An attempt was made; `failed` means that the endpoint did not answer with a status from 200 to 299. */
  onAttempt: (outcome: "succeeded" | "failed") => void;
  sealer: Sealer;
  cursors: CursorCodec;
  config: Pick<Config, "webhooks" | "webhookPorts" | "brand">;
};

export type WebhooksService = {
  operations: ReturnType<typeof webhookOperations>;
  /** Gives an endpoint a new secret in place of the one that `replaces` names. Null when it has another one. */
  rotate: (owner: Owner, id: string, replaces: number | null) => Promise<Schemas["WebhookWithSecret"] | null>;
  /** Why createWebhook and updateWebhook would refuse this body, beside what the contract's schema says of it, for credentials of these scopes. */
  findRefusals: (scopes: readonly Scope[], body: Readonly<Record<string, unknown>>) => readonly Fault[];
  /** Something happened to this streamer, in this process or another. */
  hint: (streamerId: string) => void;
  /** Number of endpoints by state. */
  endpoints: () => Promise<Record<EndpointState, number>>;
  /** Seconds since the oldest event that has not arrived, by state. */
  undelivered: () => Promise<Record<UndeliveredState, number>>;
  close: () => Promise<void>;
};

/** How long the endpoints of a process that was killed wait for another. */
const leaseMs = 5_000;
const sweepMs = 60_000;

export function openWebhooks(deps: WebhooksDeps): WebhooksService {
  const { requestsKnex, knex, deliveriesKnex, log, donations, onAttempt, sealer, cursors, config } = deps;
  const now = Date.now;
  const rules = { mode: config.webhooks, ports: config.webhookPorts };
  const connect = sender({ ...rules, resolve: resolverFor(rules.mode), userAgent: `${config.brand}-webhooks/1`, now });
  const reads = batchedReads(deliveriesKnex);
  const worker = startWorker({
    store: workerStore({ knex, deliveriesKnex, reads, sealer, now, workerId: newId(), leaseMs }),
    events: eventLog(knex, reads, donations),
    connect,
    log,
    findTraces: (donationIds) => findTraces(knex, donationIds),
    random: Math.random,
    now,
    onAttempt: ({ attempt }) => onAttempt(attempt.error === null ? "succeeded" : "failed"),
  });
  const sweep = startIntervalTask({ pauseMs: sweepMs, log, failureMessage: "can't clean webhooks up" }, async () => {
    await disableDisconnected(knex);
    return cleanUpWebhooks(knex);
  });
  const wake = () => void worker.tick().catch(() => {}); // the next tick is a second away
  const managing: endpoint.EndpointDeps = { endpoints: endpointStore(requestsKnex, sealer, now), rules, now, wake };
  return {
    operations: webhookOperations(managing, { ...managing, deliveries: deliveryStore(requestsKnex, now), cursors, connect }),
    rotate: (owner, id, replaces) => endpoint.rotateSecret(managing, owner, { id, replaces }),
    findRefusals: (scopes, body) => findRefusals(rules, scopes, body),
    hint: worker.hint,
    endpoints: () => countEndpoints(knex),
    undelivered: () => oldestUndelivered(knex),
    close: async () => {
      await worker.stop();
      await sweep.stop();
    },
  };
}

function webhookOperations(managing: endpoint.EndpointDeps, delivering: delivery.DeliveryDeps) {
  return {
    createWebhook: endpoint.createWebhook(managing),
    listWebhooks: endpoint.listWebhooks(managing),
    getWebhook: endpoint.getWebhook(managing),
    updateWebhook: endpoint.updateWebhook(managing),
    deleteWebhook: endpoint.deleteWebhook(managing),
    rotateWebhookSecret: endpoint.rotateWebhookSecret(managing),
    listWebhookDeliveries: delivery.listWebhookDeliveries(delivering),
    redeliverWebhook: delivery.redeliverWebhook(delivering),
    recoverWebhook: delivery.recoverWebhook(delivering),
    sendTestEvent: delivery.sendTestEvent(delivering),
  };
}
