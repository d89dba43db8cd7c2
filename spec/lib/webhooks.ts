// Publishes the requests that the server sends: an operation with @webhook becomes an entry of `webhooks` for each type of event.

import { modelName, modelOf, typesOf } from "./async-api.ts";
import type { Document, Media, Operation, Schema } from "./complete.ts";

type Webhook = Partial<Operation> & { summary?: string; description?: string; requestBody: { content: Record<string, Media> } };

const json = "application/json";
const mark = "x-webhook";

/** Changes the document in place. */
export function moveWebhooks(document: Document & { webhooks?: Record<string, { post: object }> }): void {
  document.webhooks = {};
  for (const [path, { post }] of Object.entries(document.paths)) {
    if (!post || !(mark in post)) continue;
    delete document.paths[path];
    for (const type of typesOf(document)) document.webhooks[type] = { post: deliveryOf(document, post as unknown as Webhook, type) };
  }
}

/** Its operationId is that of the program that receives: `receiveDonationCreated`. */
function deliveryOf(document: Document, webhook: Webhook, type: string): object {
  const { operationId: _, [mark]: __, requestBody, ...others } = structuredClone(webhook) as Webhook & { [mark]: unknown };
  const schema = bodyOf(document.components.schemas[modelOf(document, type)] as Schema, type);
  return {
    operationId: `receive${modelName(type)}`,
    ...others,
    summary: type,
    requestBody: { ...requestBody, content: { [json]: { schema } } },
  };
}

/** The event without its `id`, which is in the header `webhook-id`. */
function bodyOf(event: Schema, type: string): Schema {
  const { id: _, ...members } = event.properties as Record<string, Schema>;
  return { ...event, required: Object.keys(members), properties: { ...members, type: { type: "string", const: type } } };
}
