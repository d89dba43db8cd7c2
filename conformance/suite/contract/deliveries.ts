// Requests that the server sends, as `webhooks` of the contract describes them.

import type { IncomingHttpHeaders } from "node:http";

import { contract, type Parameter, type Schema, token } from "./contract.ts";
import { sealed } from "./schemas.ts";

type Webhook = { post: { parameters: Parameter[]; requestBody: { content: Record<string, { schema: Schema }> } } };

const webhooks = contract.webhooks as Record<string, Webhook>;

/** The types of events that the contract describes as requests. */
export const deliveredTypes = Object.keys(webhooks);

/** What the contract does not say of a delivery, in words; none when it is as described. `event`: its body. */
export function deliveryFaults(headers: IncomingHttpHeaders, event: { type: string }): string[] {
  const found = webhooks[event.type];
  if (!found) return [`the contract has no webhook ${event.type}`];
  const pointer = `#/webhooks/${token(event.type)}/post`;
  const [media = ""] = Object.keys(found.post.requestBody.content);
  return [
    ...(headers["content-type"] === media ? [] : [`content type ${headers["content-type"]} is not documented`]),
    ...found.post.parameters.flatMap((parameter, index) => headerFaults(`${pointer}/parameters/${index}/schema`, parameter, headers)),
    ...sealed(`${pointer}/requestBody/content/${token(media)}/schema`, event),
  ];
}

function headerFaults(pointer: string, { name, required }: Parameter, headers: IncomingHttpHeaders): string[] {
  const value = headers[name];
  if (value === undefined) return required ? [`no header ${name}`] : [];
  return sealed(pointer, value).map((fault) => `header ${name}: ${fault}`);
}
