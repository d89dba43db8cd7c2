// Endpoints of webhooks and their deliveries, for tests of the studio.

import type { WebhookApplication } from "../../events/webhooks/endpoints.ts";
import type { Webhook, WebhookAttempt, WebhookDelivery } from "./webhook-deliveries.ts";

export function webhookApplication(changes: Partial<WebhookApplication> = {}): WebhookApplication {
  return { id: "a1", name: "bot", isOwn: true, scopes: ["read:donations", "read:alerts"], webhooks: ["w1"], ...changes };
}

export function webhook(changes: Partial<Webhook> = {}): Webhook {
  return {
    ...{ id: "w1", url: "https://hooks.test/p/secret-part", description: "", types: ["donation.created" as const], withImported: true },
    ...{ enabled: true, disabledReason: null, failingSince: null, previousSecretUntil: null, createdAt: "2026-11-01T00:00:00.000Z" },
    ...changes,
  };
}

export function attempt(changes: Partial<WebhookAttempt> = {}): WebhookAttempt {
  return { at: "2026-11-21T03:00:01.000Z", status: 200, milliseconds: 41, answer: "ok", error: null, ...changes };
}

export function delivery(changes: Partial<WebhookDelivery> = {}): WebhookDelivery {
  const when = { timestamp: "2026-11-21T03:00:00.000Z", nextAttemptAt: null };
  return { id: "e1", type: "donation.created", status: "succeeded", attempts: [attempt()], ...when, ...changes };
}

export function deliveries(data: readonly WebhookDelivery[] = [], nextCursor: string | null = null) {
  return { data: [...data], pagination: { nextCursor, hasMore: nextCursor !== null, limit: 20 } };
}
