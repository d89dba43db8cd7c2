// Opens the webhooks: their operations.

import type { Knex } from "knex";
import type { Config } from "../../config.ts";
import type { Sealer } from "../../db/secrets.ts";
import type { CursorCodec } from "../../http/cursor.ts";
import type { Handlers } from "../../http/operations.ts";
import { resolverFor } from "./address.ts";
import { deliveryStore } from "./deliveries.ts";
import { listWebhookDeliveries, recoverWebhook, redeliverWebhook, sendTestEvent } from "./delivery-handlers.ts";
import { endpointStore } from "./endpoints.ts";
import {
  createWebhook,
  deleteWebhook,
  type EndpointDeps,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from "./handlers.ts";
import { sender } from "./send.ts";

export type WebhooksDeps = {
  knex: Knex;
  sealer: Sealer;
  cursors: CursorCodec;
  config: Pick<Config, "webhooks" | "brand">;
};

export type WebhooksService = {
  operations: Pick<
    Handlers,
    | "createWebhook"
    | "listWebhooks"
    | "getWebhook"
    | "updateWebhook"
    | "deleteWebhook"
    | "rotateWebhookSecret"
    | "listWebhookDeliveries"
    | "redeliverWebhook"
    | "recoverWebhook"
    | "sendTestEvent"
  >;
};

export function openWebhooks({ knex, sealer, cursors, config }: WebhooksDeps): WebhooksService {
  const now = Date.now;
  const mode = config.webhooks;
  const connect = sender({ mode, resolve: resolverFor(mode), userAgent: `${config.brand}-webhooks/1`, now });
  const endpoints: EndpointDeps = { endpoints: endpointStore(knex, sealer, now), mode, now, wake: () => {} };
  const deliveries = { ...endpoints, deliveries: deliveryStore(knex, now), cursors, connect };
  return {
    operations: {
      createWebhook: createWebhook(endpoints),
      listWebhooks: listWebhooks(endpoints),
      getWebhook: getWebhook(endpoints),
      updateWebhook: updateWebhook(endpoints),
      deleteWebhook: deleteWebhook(endpoints),
      rotateWebhookSecret: rotateWebhookSecret(endpoints),
      listWebhookDeliveries: listWebhookDeliveries(deliveries),
      redeliverWebhook: redeliverWebhook(deliveries),
      recoverWebhook: recoverWebhook(deliveries),
      sendTestEvent: sendTestEvent(deliveries),
    },
  };
}
