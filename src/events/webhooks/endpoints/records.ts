// Endpoints and deliveries as the contract shows them, and the body of a delivery. Pure.

import { formatInstant } from "../../../base/instant.ts";
import type { Schemas } from "../../../http/operations.ts";
import type { Event } from "../../event.ts";
import type { Attempt, Delivery } from "./deliveries.ts";
import type { Endpoint } from "./endpoints.ts";

const instantOf = (ms: number | null) => (ms === null ? null : formatInstant(ms));

/** `now`: milliseconds since 1970. */
export function toWebhook(endpoint: Endpoint, now: number): Schemas["Webhook"] {
  const { id, url, description, types, withImported, disabledReason, failingSince, previousSecretUntil, createdAt } = endpoint;
  return {
    id,
    url,
    description,
    types,
    withImported,
    enabled: disabledReason === null,
    disabledReason,
    failingSince: instantOf(failingSince),
    previousSecretUntil: instantOf(previousSecretUntil !== null && previousSecretUntil > now ? previousSecretUntil : null),
    createdAt: formatInstant(createdAt),
  };
}

export function toDelivery({ eventId, type, occurredAt, status, attempts, nextAttemptAt }: Delivery): Schemas["WebhookDelivery"] {
  return {
    id: eventId,
    type,
    timestamp: formatInstant(occurredAt),
    status,
    attempts: attempts.map(toAttempt),
    nextAttemptAt: instantOf(nextAttemptAt),
  };
}

export function toAttempt({ at, status, ms, answer, error }: Attempt): Schemas["WebhookAttempt"] {
  return { at: formatInstant(at), status, milliseconds: ms, answer, error };
}

/** Its id is sent as `webhook-id`. */
export function bodyOf({ type, timestamp, data }: Event): string {
  return JSON.stringify({ type, timestamp, data });
}
