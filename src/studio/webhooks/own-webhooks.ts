// The streamer's webhook endpoints: the contract's operations are called in the name of the application that an endpoint belongs to.

import type { EventsService } from "../../events/open-events.ts";
import type { WebhookApplication } from "../../events/webhooks/endpoints.ts";
import type { OperationCall } from "../../http/invoke.ts";
import type { OperationId } from "../../http/operations.ts";
import { problemOf, refusal } from "../../http/problem.ts";
import type { Query, StreamerClient } from "../streamer-client.ts";
import type { Webhook } from "./webhook-deliveries.ts";

type FindApplications = (streamerId: string) => Promise<readonly WebhookApplication[]>;

/** Throws the contract's Problems; webhook_not_found for an endpoint that is not of one of the streamer's own applications. */
export type OwnWebhooks = ReturnType<typeof ownWebhooks>;

export function ownWebhooks(client: StreamerClient, webhooks: EventsService["webhooks"], applications: FindApplications) {
  const at = async <Id extends OperationId>(streamerId: string, webhookId: string, { id, path, ...call }: { id: Id } & OperationCall) => {
    const owner = ownerOf(await applications(streamerId), webhookId);
    return client.call(streamerId, id, { ...call, path: { ...path, webhookId }, as: owner });
  };
  /** Every fault of the body is named at once. */
  const withRefusals = ({ scopes }: WebhookApplication, body: Query): OperationCall => {
    const faults = webhooks.findRefusals(scopes, body);
    return { body, ...(faults.length > 0 && { faults }) };
  };
  return {
    /** All applications that have endpoints, and own ones that could have some. */
    list: async (streamerId: string) => {
      const found = (await applications(streamerId)).filter(({ scopes, webhooks }) => scopes.length > 0 || webhooks.length > 0);
      const list = async (application: WebhookApplication) =>
        application.webhooks.length === 0 ? [] : (await client.call(streamerId, "listWebhooks", { as: application })).body.data;
      return Promise.all(found.map(async (application) => ({ application, webhooks: await list(application) })));
    },
    find: async (streamerId: string, webhookId: string) => {
      const application = ownerOf(await applications(streamerId), webhookId);
      const { body } = await client.call(streamerId, "getWebhook", { path: { webhookId }, as: application });
      return { application, webhook: body.data };
    },
    /** Resolves to the endpoint with its secret, which is never shown again. The contract checks the members of `body`. */
    create: async (streamerId: string, applicationId: string, body: Query) => {
      const own = (await applications(streamerId)).find(({ id, isOwn }) => isOwn && id === applicationId);
      if (!own) throw notFound();
      return (await client.call(streamerId, "createWebhook", { ...withRefusals(own, body), as: own })).body.data;
    },
    change: async (streamerId: string, webhookId: string, body: Query): Promise<void> => {
      const owner = ownerOf(await applications(streamerId), webhookId);
      await client.call(streamerId, "updateWebhook", { path: { webhookId }, ...withRefusals(owner, body), as: owner });
    },
    remove: async (streamerId: string, webhookId: string): Promise<void> => void (await at(streamerId, webhookId, { id: "deleteWebhook" })),
    /**
     * Resolves to the endpoint with its new secret, which is never shown again. `replaces`: previousSecretUntil of the secret that the streamer
     * knows; null when the endpoint has a newer one, or is gone.
     */
    rotate: async (streamerId: string, webhookId: string, replaces: Webhook["previousSecretUntil"]) => {
      const { id: applicationId } = ownerOf(await applications(streamerId), webhookId);
      return webhooks.rotate({ streamerId, applicationId }, webhookId, replaces === null ? null : Date.parse(replaces));
    },
    /** Sends an example of an event and waits for the answer, 15 seconds at most. */
    test: async (streamerId: string, webhookId: string) => (await at(streamerId, webhookId, { id: "sendTestEvent", body: {} })).body.data,
    deliveries: async (streamerId: string, webhookId: string, query: Query) =>
      (await at(streamerId, webhookId, { id: "listWebhookDeliveries", query })).body,
    /** Sends what did not arrive since an instant (RFC 3339) again. Resolves to the number of events. */
    recover: async (streamerId: string, webhookId: string, since: string) =>
      (await at(streamerId, webhookId, { id: "recoverWebhook", body: { since } })).body.data.count,
    redeliver: async (streamerId: string, webhookId: string, deliveryId: string): Promise<void> =>
      void (await at(streamerId, webhookId, { id: "redeliverWebhook", path: { deliveryId } })),
  };
}

function ownerOf(applications: readonly WebhookApplication[], webhookId: string): WebhookApplication {
  const owner = applications.find(({ isOwn, webhooks }) => isOwn && webhooks.includes(webhookId));
  if (!owner) throw notFound();
  return owner;
}

const notFound = () => problemOf(refusal("webhook_not_found", "There is no such webhook."));
