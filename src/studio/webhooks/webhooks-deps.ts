// What the studio needs of webhooks.

import type { Schemas, Scope } from "../../http/operations.ts";

export type Webhook = Schemas["Webhook"];
export type WebhookWithSecret = Schemas["WebhookWithSecret"];
export type WebhookDelivery = Schemas["WebhookDelivery"];
export type WebhookAttempt = Schemas["WebhookAttempt"];
export type WebhookTested = Schemas["WebhookTested"];
export type EventType = Schemas["EventType"];

export type WebhookApplication = Readonly<{
  id: string;
  name: string;
  /** False for somebody else's application, whose endpoints are only shown. */
  isOwn: boolean;
  /** Of its live credentials together; empty when it has none. */
  scopes: readonly Scope[];
}>;

/** The streamer's webhook endpoints. Throws the contract's Problems; webhook_not_found for an endpoint that is not the streamer's own. */
export type Webhooks = Readonly<{
  /** All applications that have endpoints, and own ones that could have some. */
  list: (streamerId: string) => Promise<readonly Readonly<{ application: WebhookApplication; webhooks: readonly Webhook[] }>[]>;
  find: (streamerId: string, webhookId: string) => Promise<Readonly<{ application: WebhookApplication; webhook: Webhook }>>;
  /** Resolves to the endpoint with its secret, which is never shown again. The contract checks the members of `webhook`. */
  create: (streamerId: string, applicationId: string, webhook: Readonly<Record<string, unknown>>) => Promise<WebhookWithSecret>;
  change: (streamerId: string, webhookId: string, change: Readonly<Record<string, unknown>>) => Promise<void>;
  remove: (streamerId: string, webhookId: string) => Promise<void>;
  /**
   * Resolves to the endpoint with its new secret, which is never shown again. `replaces`: previousSecretUntil of the secret that the streamer
   * knows; null when the endpoint has a newer one, or is gone.
   */
  rotate: (streamerId: string, webhookId: string, replaces: Webhook["previousSecretUntil"]) => Promise<WebhookWithSecret | null>;
  /** Sends an example of an event and waits for the answer, 15 seconds at most. */
  test: (streamerId: string, webhookId: string) => Promise<WebhookTested>;
  deliveries: (streamerId: string, webhookId: string, query: Readonly<Record<string, unknown>>) => Promise<Schemas["WebhookDeliveryPage"]>;
  /** Sends what did not arrive since an instant (RFC 3339) again. Resolves to the number of events. */
  recover: (streamerId: string, webhookId: string, since: string) => Promise<number>;
  redeliver: (streamerId: string, webhookId: string, deliveryId: string) => Promise<void>;
}>;
