// Bodies that are streams: server-sent events, and lines of JSON. TypeSpec describes one item of them, OpenAPI 3.1 can only describe the text
// as a whole, and OpenAPI 3.2 both.

import { type Document, type Media, operationsOf, resolveReference, type Schema } from "./complete.ts";

type Stream = Media & { schema: { contentSchema: Schema } };
type Described = Document & { openapi: string };
type EventSchema = { anyOf?: Schema[]; properties?: Record<string, Schema>; examples?: { data: unknown }[] };

const events = "text/event-stream";
const lines = "application/x-ndjson";

/** Changes the document in place: each stream is a text, whose example is what is sent. The schema of an item is its `contentSchema`. */
export function describeStreams(document: Document): void {
  for (const content of contentsOf(document)) {
    for (const [type, write] of Object.entries(wires)) {
      const media = content[type];
      if (!media?.schema) continue;
      const { example = exampleOf(media.schema, document) } = media;
      content[type] = { schema: textOf(media.schema, type), ...(example ? { example: write(example) } : {}) };
    }
  }
}

/** The streams of a document in which they are described. */
function streamsOf(document: Document): { type: string; media: Stream }[] {
  return contentsOf(document).flatMap((content) =>
    Object.entries(content).flatMap(([type, media]) =>
      media.schema && "contentSchema" in media.schema ? [{ type, media: media as Stream }] : [],
    ),
  );
}

/** The document as OpenAPI 3.2 (4.14.4): a stream is described by the schema of its items, and its example is what is sent. */
export function asOpenApi32(document: Document): object {
  const copy = structuredClone(document) as Described;
  copy.openapi = "3.2.0";
  for (const { type, media } of streamsOf(copy)) {
    const { schema, example } = media;
    for (const key of Object.keys(media)) delete media[key as keyof typeof media];
    Object.assign(media, { itemSchema: schema.contentSchema });
    if (isEvents(type)) dataAsText(schema.contentSchema, copy);
    if (example) Object.assign(media, { examples: { sent: { serializedValue: example } } });
  }
  return copy;
}

const isEvents = (type: string): boolean => type === events;

/** Events as they are read from the wire: the text of `data` is JSON (HTML Living Standard 9.2.6). */
function dataAsText(item: Schema, document: Document): void {
  const { anyOf: kinds = [], properties, examples = [] } = resolveReference(item, document) as EventSchema;
  for (const kind of kinds) dataAsText(kind, document);
  if (properties) properties.data = { type: "string", contentMediaType: "application/json", contentSchema: properties.data };
  for (const example of examples) example.data = JSON.stringify(example.data);
}

function contentsOf(document: Document): Record<string, Media>[] {
  return operationsOf(document).flatMap(({ operation: { requestBody, responses } }) =>
    [requestBody, ...Object.values(responses)].flatMap((part) => (part?.content ? [part.content] : [])),
  );
}

function exampleOf(schema: Schema, document: Document): unknown {
  return (resolveReference(schema, document).examples as unknown[] | undefined)?.[0];
}

/** Without `contentMediaType`, which some programs take for a file. */
function textOf(item: Schema, type: string): Schema {
  const name = String(item.$ref).split("/").at(-1);
  const description = isEvents(type)
    ? `Events, each with an empty line after it: the fields of \`${name}\`, with \`data\` as JSON.`
    : `Lines: each is a JSON text of the schema \`${name}\`.`;
  return { type: "string", description, contentSchema: item };
}

/** How an item is sent. */
const wires: Record<string, (item: unknown) => string> = {
  [events]: (item) =>
    `${Object.entries(item as object)
      .map(fieldOf)
      .join("\n")}\n\n`,
  [lines]: (item) => `${JSON.stringify(item)}\n`,
};

const fieldOf = ([name, value]: [string, unknown]): string => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
