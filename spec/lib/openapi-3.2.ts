// The contract as OpenAPI 3.2, which can say what each item of a stream is.

import { type Document, resolveReference, type Schema } from "./complete.ts";
import { isEvents, streamsOf } from "./streams.ts";

type Described = Document & { openapi: string };
type EventSchema = { anyOf?: Schema[]; properties?: Record<string, Schema>; examples?: { data: unknown }[] };

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

/** Events as they are read from the wire: the text of `data` is JSON (HTML Living Standard 9.2.6). */
function dataAsText(item: Schema, document: Document): void {
  const { anyOf: kinds = [], properties, examples = [] } = resolveReference(item, document) as EventSchema;
  for (const kind of kinds) dataAsText(kind, document);
  if (properties) properties.data = { type: "string", contentMediaType: "application/json", contentSchema: properties.data };
  for (const example of examples) example.data = JSON.stringify(example.data);
}
