// The operations on webhook endpoints. Those on their deliveries are in delivery-handlers.ts.

import { newId } from "../../../db/ids.ts";
import { eventTypes, isId, maxItemsOfList } from "../../../http/contract/published.ts";
import type { Handler, Schemas } from "../../../http/operations.ts";
import { refusal } from "../../../http/problem.ts";
import { readableTypes } from "../../event.ts";
import { faultOf, type WebhookRules } from "../request/address.ts";
import { formatSecret, newSecret } from "../request/secret.ts";
import type { EndpointStore, Owner, Rotation } from "./endpoints.ts";
import { toWebhook } from "./records.ts";

export type EndpointDeps = {
  endpoints: EndpointStore;
  rules: WebhookRules;
  /** Milliseconds since 1970. */
  now: () => number;
  /** There may be something to send. */
  wake: () => void;
};

/** How long the previous secret signs as well. */
const rotationMs = 24 * 3_600_000;
const maxEndpoints = maxItemsOfList("Webhooks");

export const notFound = () => refusal("webhook_not_found", "There is no such webhook.");

export const createWebhook =
  ({ endpoints, rules, now, wake }: EndpointDeps): Handler<"createWebhook"> =>
  async ({ body }, principal) => {
    const types = readableTypes(eventTypes, principal, body.types);
    const fault = faultOf(body.url, rules);
    if (fault !== null) return refusal("webhook_url_refused", fault);
    const secret = newSecret();
    const { url, description = "", withImported } = body;
    const endpoint = await endpoints.insert(principal, { id: newId(), url, description, types, withImported, secret }, maxEndpoints);
    if (!endpoint) return refusal("too_many_webhooks", `The application has ${maxEndpoints} webhooks for this streamer already.`);
    wake();
    const data = { ...toWebhook(endpoint, now()), secret: formatSecret(secret) };
    return { status: 201, headers: { Location: `/api/v1/webhooks/${endpoint.id}` }, body: { data } };
  };

export const listWebhooks =
  ({ endpoints, now }: EndpointDeps): Handler<"listWebhooks"> =>
  async (_request, principal) => {
    const found = await endpoints.list(principal);
    return { status: 200, body: { data: found.map((endpoint) => toWebhook(endpoint, now())) } };
  };

export const getWebhook =
  ({ endpoints, now }: EndpointDeps): Handler<"getWebhook"> =>
  async ({ path }, principal) => {
    const endpoint = isId(path.webhookId) ? await endpoints.find(principal, path.webhookId) : null;
    return endpoint ? { status: 200, body: { data: toWebhook(endpoint, now()) } } : notFound();
  };

export const updateWebhook =
  ({ endpoints, rules, now, wake }: EndpointDeps): Handler<"updateWebhook"> =>
  async ({ path, body }, principal) => {
    if (body.types) readableTypes(eventTypes, principal, body.types);
    const fault = body.url === undefined ? null : faultOf(body.url, rules);
    if (fault !== null) return refusal("webhook_url_refused", fault);
    const endpoint = isId(path.webhookId) ? await endpoints.update(principal, path.webhookId, body) : null;
    if (!endpoint) return notFound();
    wake();
    return { status: 200, body: { data: toWebhook(endpoint, now()) } };
  };

export const deleteWebhook =
  ({ endpoints }: EndpointDeps): Handler<"deleteWebhook"> =>
  async ({ path }, principal) => {
    const isDeleted = isId(path.webhookId) && (await endpoints.remove(principal, path.webhookId));
    return isDeleted ? { status: 204 } : notFound();
  };

export const rotateWebhookSecret =
  (deps: EndpointDeps): Handler<"rotateWebhookSecret"> =>
  async ({ path }, principal) => {
    const data = isId(path.webhookId) ? await rotateSecret(deps, principal, { id: path.webhookId }) : null;
    return data ? { status: 200, body: { data } } : notFound();
  };

type SecretToRotate = Readonly<{ id: string } & Pick<Rotation, "replaces">>;

/** The endpoint with its new secret; null when the owner has no such endpoint, or it has another secret than `replaces` names. */
export async function rotateSecret(
  { endpoints, now }: EndpointDeps,
  owner: Owner,
  { id, replaces }: SecretToRotate,
): Promise<Schemas["WebhookWithSecret"] | null> {
  const secret = newSecret();
  const endpoint = await endpoints.rotate(owner, id, { secret, until: now() + rotationMs, replaces });
  return endpoint && { ...toWebhook(endpoint, now()), secret: formatSecret(secret) };
}
