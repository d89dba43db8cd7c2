// The events as AsyncAPI 3.0, for tools that read no OpenAPI.

import type { Document, Operation, Schema } from "./complete.ts";
import { operationsOf } from "./complete.ts";

type Described = Document & {
  info: { title: string; version: string; license?: { name: string } };
  webhooks?: Record<string, { post: Operation }>;
};

const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

const address = "/api/v1/events";
const bearer = [{ $ref: "#/components/securitySchemes/bearer" }];

/** The events as AsyncAPI 3.0: the stream, the WebSocket, the webhooks, and a message for each type. `path` of the stream is that of streamEvents. */
export function asAsyncApi(document: Document): object {
  const { info, webhooks } = document as Described;
  const types = typesOf(document);
  const [delivery] = Object.values(webhooks ?? {});
  const messages = {
    ...Object.fromEntries(types.map((type) => [messageName(type), { name: type, title: type, payload: reference(modelName(type)) }])),
    ...Object.fromEntries(types.map((type) => [`${messageName(type)}Delivery`, deliveryOf(type, delivery?.post)])),
    ...{ opening, position, refusal },
  };
  const events = referencesTo(types.map(messageName));
  const stream = operationsOf(document).find(({ operation }) => operation.operationId === "streamEvents");
  const schemas = { ...document.components.schemas, ...eventSchemas(document), ...socketSchemas(stream?.operation) };
  const { host, protocol } = localServer;
  return {
    asyncapi: "3.0.0",
    info: {
      title: `${info.title}: events`,
      version: info.version,
      license: { name: info.license?.name, url: `https://opensource.org/license/${info.license?.name.toLowerCase()}` },
    },
    defaultContentType: "application/json",
    servers: { http: { host, protocol }, websocket: { host, protocol: "ws" } },
    channels: {
      stream: { address: `${address}/stream`, title: "Server-sent events", messages: events },
      socket: {
        address: `${address}/socket`,
        title: "WebSocket",
        messages: { ...events, ...referencesTo(["opening", "position", "refusal"]) },
        bindings: { ws: { query: { type: "object", properties: { ticket: { type: "string" } } }, bindingVersion: "0.1.0" } },
      },
      webhook: {
        address: null,
        title: "Webhook: the URL of an endpoint",
        messages: referencesTo(types.map((type) => `${messageName(type)}Delivery`)),
      },
    },
    operations: {
      followStream: {
        action: "receive",
        channel: { $ref: "#/channels/stream" },
        summary: "Follow events as server-sent events",
        security: bearer,
      },
      openSocket: { action: "send", channel: { $ref: "#/channels/socket" }, messages: [{ $ref: "#/channels/socket/messages/opening" }] },
      followSocket: {
        action: "receive",
        channel: { $ref: "#/channels/socket" },
        messages: [...Object.keys(events), "position", "refusal"].map((name) => ({ $ref: `#/channels/socket/messages/${name}` })),
      },
      receiveWebhook: { action: "receive", channel: { $ref: "#/channels/webhook" }, summary: "Receive events at an endpoint of yours" },
    },
    components: {
      securitySchemes: { bearer: { type: "http", scheme: "bearer", description: "An API key or an access token." } },
      messages,
      schemas: withoutSiblings(reachable(schemas, messages)),
    },
  };
}

/** The address that spec/main.tsp names; a server that publishes the document names its own. */
const localServer = { host: "127.0.0.1:8080", protocol: "http" };

const referencesTo = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));

const opening = {
  name: "opening",
  summary: "Who asks, from where on, and for what. A connection that was opened with a ticket sends none.",
  payload: reference("SocketOpening"),
};

const position = {
  name: "position",
  summary: "A sign of life: everything up to this position has been sent.",
  payload: reference("SocketPosition"),
};

const refusal = {
  name: "refusal",
  summary: "Why the connection is closed. The close code is 4000 and the status of the problem.",
  payload: reference("SocketRefusal"),
};

/** The first message of a WebSocket has the parameters of streamEvents. */
function socketSchemas(operation: Operation | undefined): Record<string, Schema> {
  const query = (operation?.parameters ?? []).filter((parameter) => parameter.in === "query") as { name?: string; schema?: Schema }[];
  const parameters = Object.fromEntries(query.map(({ name = "", schema = {} }) => [name, schema]));
  const object = (properties: Schema, required: string[]) => ({ type: "object", properties, required, additionalProperties: false });
  return {
    SocketOpening: object({ token: { type: "string" }, ...parameters }, ["token"]),
    SocketPosition: object({ cursor: reference("eventCursor") }, ["cursor"]),
    SocketRefusal: object({ problem: { type: "object" } }, ["problem"]),
  };
}

/** A schema for each type of event, as a stream sends it and as a webhook does: without the `id`, which is in a header. */
function eventSchemas(document: Document): Record<string, Schema> {
  const pairs = typesOf(document).flatMap((type) => {
    const event = document.components.schemas[modelOf(document, type)] as Schema & { properties: Schema; required: string[] };
    const { id, ...members } = event.properties;
    const sent = { ...members, type: { type: "string", const: type } };
    const { examples: _, ...model } = event;
    return [
      [modelName(type), { ...model, properties: { id, ...sent } }],
      [`${modelName(type)}Delivery`, { ...model, properties: sent, required: event.required.filter((name) => name !== "id") }],
    ] as const;
  });
  return Object.fromEntries(pairs);
}

/** The message to a webhook, with the headers of Standard Webhooks. */
function deliveryOf(type: string, webhook: Operation | undefined) {
  const headers = (webhook?.parameters ?? []).map(({ name = "", schema = {} }) => [name, schema]);
  return {
    ...{ name: `${type} to a webhook`, title: `${type} to a webhook` },
    headers: { type: "object", properties: Object.fromEntries(headers), required: headers.map(([name]) => name) },
    payload: reference(`${modelName(type)}Delivery`),
  };
}

/** JSON Schema draft 7, which AsyncAPI uses, knows no keywords beside `$ref`. */
function withoutSiblings<Part>(part: Part): Part {
  if (Array.isArray(part)) return part.map(withoutSiblings) as Part;
  if (part === null || typeof part !== "object") return part;
  if ("$ref" in part) return { $ref: part.$ref } as Part;
  return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, withoutSiblings(value)])) as Part;
}

export const typesOf = ({ components }: Document): string[] => (components.schemas.EventType?.enum ?? []) as string[];

/** `donation.created` → `donationCreated`. */
const messageName = (type: string): string => type.replace(/\.([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** `donation.created` → `DonationCreated`. */
export const modelName = (type: string): string => messageName(`.${type}`);

/** Name of the model of events of this type. */
export function modelOf({ components: { schemas } }: Document, type: string): string {
  const members = (schemas.Event?.anyOf ?? []) as { $ref: string }[];
  const names = members.map(({ $ref }) => $ref.split("/").at(-1) as string);
  const found = names.find((name) => allows(schemas[name], type));
  if (found === undefined) throw new Error(`the union Event has no model for the type ${type}: add one to spec/events.tsp`);
  return found;
}

function allows(schema: Schema | undefined, type: string): boolean {
  return JSON.stringify((schema?.properties as Schema | undefined)?.type ?? null).includes(`"${type}"`);
}

/** The schemas that these parts refer to, directly or not. */
function reachable(schemas: Record<string, Schema>, from: unknown): Record<string, Schema> {
  const found = new Set<string>();
  const visit = (part: unknown): void => {
    for (const [, name = ""] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      visit(schemas[name]);
    }
  };
  visit(from);
  return Object.fromEntries([...found].sort().map((name) => [name, schemas[name] as Schema]));
}
