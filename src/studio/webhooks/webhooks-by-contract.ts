// The studio's webhooks, by invoking the contract's operations in the name of the application that an endpoint belongs to.

import type { InvokeOperation, OperationCall } from "../../http/invoke.ts";
import type { OperationId, Principal, Scope } from "../../http/operations.ts";
import { type Fault, problemOf, refusal } from "../../http/problem.ts";
import type { WebhookApplication, Webhooks, WebhookWithSecret } from "./webhooks-deps.ts";

/** An application with the ids of its endpoints. */
type Owner = WebhookApplication & Readonly<{ webhooks: readonly string[] }>;

export type ContractWebhooksDeps = Readonly<{
  invoke: InvokeOperation;
  /** The streamer's own applications, and the others that have an endpoint for the streamer. */
  applications: (streamerId: string) => Promise<readonly Owner[]>;
  /** Why an endpoint with this body would be refused whose application has these scopes, beside what the contract's schema says of it. */
  findRefusals: (scopes: readonly Scope[], body: Readonly<Record<string, unknown>>) => readonly Fault[];
  /** The operation rotateWebhookSecret, but only for the secret whose previousSecretUntil, in milliseconds, `replaces` is; null for another. */
  rotate: (
    owner: Pick<Principal, "streamerId" | "applicationId">,
    webhookId: string,
    replaces: number | null,
  ) => Promise<WebhookWithSecret | null>;
}>;

export function contractWebhooks({ invoke, applications, findRefusals, rotate }: ContractWebhooksDeps): Webhooks {
  const as = <Id extends OperationId>(
    streamerId: string,
    { id: applicationId, scopes }: WebhookApplication,
    id: Id,
    call?: OperationCall,
  ) => invoke(id, { streamerId, applicationId, scopes, credential }, call);
  const at = async <Id extends OperationId>(streamerId: string, webhookId: string, id: Id, { path, ...call }: OperationCall = {}) => {
    const owner = ownerOf(await applications(streamerId), webhookId);
    return as(streamerId, owner, id, { ...call, path: { ...path, webhookId } });
  };
  /** Every fault of the body is named at once. */
  const withRefusals = ({ scopes }: WebhookApplication, body: Readonly<Record<string, unknown>>): OperationCall => {
    const faults = findRefusals(scopes, body);
    return { body, ...(faults.length > 0 && { faults }) };
  };
  return {
    list: async (streamerId) => {
      const found = (await applications(streamerId)).filter(({ scopes, webhooks }) => scopes.length > 0 || webhooks.length > 0);
      const list = async (application: Owner) =>
        application.webhooks.length === 0 ? [] : (await as(streamerId, application, "listWebhooks")).body.data;
      return Promise.all(found.map(async (application) => ({ application, webhooks: await list(application) })));
    },
    find: async (streamerId, webhookId) => {
      const application = ownerOf(await applications(streamerId), webhookId);
      return { application, webhook: (await as(streamerId, application, "getWebhook", { path: { webhookId } })).body.data };
    },
    create: async (streamerId, applicationId, body) => {
      const own = (await applications(streamerId)).find(({ id, isOwn }) => isOwn && id === applicationId);
      if (!own) throw notFound();
      return (await as(streamerId, own, "createWebhook", withRefusals(own, body))).body.data;
    },
    change: async (streamerId, webhookId, body) => {
      const owner = ownerOf(await applications(streamerId), webhookId);
      await as(streamerId, owner, "updateWebhook", { path: { webhookId }, ...withRefusals(owner, body) });
    },
    remove: async (streamerId, webhookId) => void (await at(streamerId, webhookId, "deleteWebhook")),
    rotate: async (streamerId, webhookId, replaces) => {
      const { id: applicationId } = ownerOf(await applications(streamerId), webhookId);
      return rotate({ streamerId, applicationId }, webhookId, replaces === null ? null : Date.parse(replaces));
    },
    test: async (streamerId, webhookId) => (await at(streamerId, webhookId, "sendTestEvent", { body: {} })).body.data,
    deliveries: async (streamerId, webhookId, query) => (await at(streamerId, webhookId, "listWebhookDeliveries", { query })).body,
    recover: async (streamerId, webhookId, since) =>
      (await at(streamerId, webhookId, "recoverWebhook", { body: { since } })).body.data.count,
    redeliver: async (streamerId, webhookId, deliveryId) =>
      void (await at(streamerId, webhookId, "redeliverWebhook", { path: { deliveryId } })),
  };
}

/** Throws webhook_not_found for an endpoint that is not of one of the streamer's own applications. */
function ownerOf(applications: readonly Owner[], webhookId: string): Owner {
  const owner = applications.find(({ isOwn, webhooks }) => isOwn && webhooks.includes(webhookId));
  if (!owner) throw notFound();
  return owner;
}

const notFound = () => problemOf(refusal("webhook_not_found", "There is no such webhook."));

/** Stands in for a credential, because a session is not one; handlers of webhooks read only streamer, application and scopes. */
const credential: Principal["credential"] = { kind: "api_key", id: "studio" };
