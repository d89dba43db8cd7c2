// The operations on webhook endpoints, and why they refuse one. Those on their deliveries are in delivery-handlers.ts.

import { formatInstant, formatInstantOrNull } from "../../base/instant.ts";
import { newId } from "../../db/ids.ts";
import { isId, maxItemsOfList } from "../../http/contract/published.ts";
import type { Handler, Schemas, Scope } from "../../http/operations.ts";
import { type Fault, refusal } from "../../http/problem.ts";
import { type EventType, readableTypes, scopeOfType } from "../event.ts";
import type { Endpoint, EndpointStore, Owner, Rotation } from "./endpoints.ts";
import { faultOf, type WebhookRules } from "./request/address.ts";
import { formatSecret, newSecret } from "./request/send.ts";

/** Tells the worker that there may be something to send. */
export type Wake = () => void;

/** How long the previous secret signs as well. */
const rotationMs = 24 * 3_600_000;
const maxEndpoints = maxItemsOfList("Webhooks");

export const notFound = () => refusal("webhook_not_found", "There is no such webhook.");

export const createWebhook =
  (endpoints: EndpointStore, rules: WebhookRules, wake: Wake): Handler<"createWebhook"> =>
  async ({ body }, principal) => {
    const types = readableTypes(principal, body.types);
    const fault = faultOf(body.url, rules);
    if (fault !== null) return refusal("webhook_url_refused", fault);
    const secret = newSecret();
    const { url, description = "", withImported } = body;
    const endpoint = await endpoints.insert(principal, { id: newId(), url, description, types, withImported, secret }, maxEndpoints);
    if (!endpoint) return refusal("too_many_webhooks", `The application has ${maxEndpoints} webhooks for this streamer already.`);
    wake();
    const data = { ...toWebhook(endpoint), secret: formatSecret(secret) };
    return { status: 201, headers: { Location: `/api/v1/webhooks/${endpoint.id}` }, body: { data } };
  };

export const listWebhooks =
  (endpoints: EndpointStore): Handler<"listWebhooks"> =>
  async (_request, principal) => {
    const found = await endpoints.list(principal);
    return { status: 200, body: { data: found.map(toWebhook) } };
  };

export const getWebhook =
  (endpoints: EndpointStore): Handler<"getWebhook"> =>
  async ({ path }, principal) => {
    const endpoint = isId(path.webhookId) ? await endpoints.find(principal, path.webhookId) : null;
    return endpoint ? { status: 200, body: { data: toWebhook(endpoint) } } : notFound();
  };

export const updateWebhook =
  (endpoints: EndpointStore, rules: WebhookRules, wake: Wake): Handler<"updateWebhook"> =>
  async ({ path, body }, principal) => {
    if (body.types) readableTypes(principal, body.types);
    const fault = body.url === undefined ? null : faultOf(body.url, rules);
    if (fault !== null) return refusal("webhook_url_refused", fault);
    const endpoint = isId(path.webhookId) ? await endpoints.update(principal, path.webhookId, body) : null;
    if (!endpoint) return notFound();
    wake();
    return { status: 200, body: { data: toWebhook(endpoint) } };
  };

export const deleteWebhook =
  (endpoints: EndpointStore): Handler<"deleteWebhook"> =>
  async ({ path }, principal) => {
    const isDeleted = isId(path.webhookId) && (await endpoints.remove(principal, path.webhookId));
    return isDeleted ? { status: 204 } : notFound();
  };

export const rotateWebhookSecret =
  (endpoints: EndpointStore): Handler<"rotateWebhookSecret"> =>
  async ({ path }, principal) => {
    const data = isId(path.webhookId) ? await rotateSecret(endpoints, principal, { id: path.webhookId }) : null;
    return data ? { status: 200, body: { data } } : notFound();
  };

type SecretToRotate = Readonly<{ id: string; replaces?: Rotation["replaces"] }>;

/** The endpoint with its new secret; null when the owner has no such endpoint, or it has another secret than `replaces` names. */
export async function rotateSecret(
  endpoints: EndpointStore,
  owner: Owner,
  { id, replaces }: SecretToRotate,
): Promise<Schemas["WebhookWithSecret"] | null> {
  const secret = newSecret();
  const endpoint = await endpoints.rotate(owner, id, { secret, until: Date.now() + rotationMs, replaces });
  return endpoint && { ...toWebhook(endpoint), secret: formatSecret(secret) };
}

/**
 * What the operations refuse of an endpoint beside its schema, as faults of its members: for a form, which names all of them at once. `scopes`: of
 * the credentials that the endpoint's application has. The members of the body may have any value.
 */
export function findRefusals(rules: WebhookRules, scopes: readonly Scope[], { url, types }: Readonly<Record<string, unknown>>): Fault[] {
  const address = typeof url === "string" && url !== "" ? faultOf(url, rules) : null;
  const lacksScope = Array.isArray(types) && types.some((type) => !scopes.includes(scopeOfType(type as EventType)));
  return [
    ...(address === null ? [] : [{ pointer: "/url", code: "invalid_format" as const, message: address.replace(/\.$/, "") }]),
    ...(lacksScope ? [{ pointer: "/types", code: "invalid_enum" as const, message: "must be types that the scopes allow" }] : []),
  ];
}

function toWebhook(endpoint: Endpoint): Schemas["Webhook"] {
  const { id, url, description, types, withImported, disabledReason, failingSince, previousSecretUntil, createdAt } = endpoint;
  return {
    id,
    url,
    description,
    types,
    withImported,
    enabled: disabledReason === null,
    disabledReason,
    failingSince: formatInstantOrNull(failingSince),
    previousSecretUntil: formatInstantOrNull(previousSecretUntil !== null && previousSecretUntil > Date.now() ? previousSecretUntil : null),
    createdAt: formatInstant(createdAt),
  };
}
