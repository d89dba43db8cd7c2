// Other documents of the same contract: OpenAPI 3.2, which can say what each item of a stream is, and AsyncAPI 3.0 for the events.

import type { Document, Media, Operation, Schema } from "./complete.ts";
import { operationsOf } from "./complete.ts";

type Described = Document & { openapi: string; info: { title: string; version: string; license?: { name: string } } };

const stream = "text/event-stream";
const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** The document as OpenAPI 3.2 (4.14.4): a body of server-sent events is described by the schema of its items. */
export function asOpenApi32(document: Document): object {
  const copy = structuredClone(document) as Described;
  copy.openapi = "3.2.0";
  for (const media of streamsOf(copy)) {
    const { schema, ...others } = media;
    for (const key of Object.keys(media)) delete media[key as keyof Media];
    Object.assign(media, { itemSchema: itemOf(schema ?? {}), ...others });
  }
  return copy;
}

function streamsOf(document: Document): Media[] {
  const responses = operationsOf(document).flatMap(({ operation }) => Object.values(operation.responses));
  return responses.flatMap(({ content }) => (content?.[stream] ? [content[stream]] : []));
}

/** An item as it is read from the wire: its fields are text, and the text of `data` is JSON (HTML Living Standard 9.2.6). */
function itemOf(schema: Schema): Schema {
  return {
    type: "object",
    properties: {
      id: { type: "string" },
      event: { type: "string" },
      data: { type: "string", contentMediaType: "application/json", contentSchema: schema },
    },
  };
}

const address = "/api/v1/events";

/** The events as AsyncAPI 3.0: the stream, the WebSocket, and a message for each type. `path` of the stream is that of streamEvents. */
export function asAsyncApi(document: Document): object {
  const { info, components } = document as Described;
  const messages = Object.fromEntries(typesOf(document).map((type) => [messageName(type), messageOf(document, type)]));
  const events = Object.fromEntries(Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]));
  const stream = operationsOf(document).find(({ operation }) => operation.operationId === "streamEvents");
  const parts = { ...messages, opening: opening(stream?.operation), position, refusal };
  return {
    asyncapi: "3.0.0",
    info: { title: `${info.title}: events`, version: info.version, license: { name: info.license?.name } },
    defaultContentType: "application/json",
    channels: {
      stream: { address: `${address}/stream`, title: "Server-sent events", messages: events },
      socket: {
        address: `${address}/socket`,
        title: "WebSocket",
        messages: { ...events, ...referencesTo(["opening", "position", "refusal"]) },
        bindings: { ws: { query: { type: "object", properties: { ticket: { type: "string" } } }, bindingVersion: "0.1.0" } },
      },
    },
    operations: {
      followStream: { action: "receive", channel: { $ref: "#/channels/stream" }, summary: "Follow events as server-sent events" },
      openSocket: { action: "send", channel: { $ref: "#/channels/socket" }, messages: [{ $ref: "#/channels/socket/messages/opening" }] },
      followSocket: {
        action: "receive",
        channel: { $ref: "#/channels/socket" },
        messages: [...Object.keys(events), "position", "refusal"].map((name) => ({ $ref: `#/channels/socket/messages/${name}` })),
      },
    },
    components: { messages: parts, schemas: reachable(components.schemas, parts) },
  };
}

const referencesTo = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/messages/${name}` }]));

const position = {
  name: "position",
  summary: "A sign of life: everything up to this position has been sent.",
  payload: { type: "object", properties: { cursor: reference("eventCursor") }, required: ["cursor"] },
};

const refusal = {
  name: "refusal",
  summary: "Why the connection is closed. The close code is 4000 and the status of the problem.",
  payload: { type: "object", properties: { problem: { type: "object" } }, required: ["problem"] },
};

/** The first message of a WebSocket has the parameters of streamEvents. */
function opening(operation: Operation | undefined) {
  const query = (operation?.parameters ?? []).filter((parameter) => parameter.in === "query") as { name?: string; schema?: Schema }[];
  const properties = Object.fromEntries(query.map(({ name = "", schema = {} }) => [name, schema]));
  return {
    name: "opening",
    summary: "Who asks, from where on, and for what. A connection that was opened with a ticket sends none.",
    payload: { type: "object", properties: { token: { type: "string" }, ...properties }, required: ["token"], additionalProperties: false },
  };
}

/** The types of events. */
export const typesOf = ({ components }: Document): string[] => (components.schemas.EventType?.enum ?? []) as string[];

/** `donation.created` → `donationCreated`. */
const messageName = (type: string): string => type.replace(/\.([a-z])/g, (_, letter: string) => letter.toUpperCase());

function messageOf(document: Document, type: string) {
  const payload = { allOf: [reference(modelOf(document, type)), { type: "object", properties: { type: { const: type } } }] };
  return { name: type, title: type, payload };
}

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
