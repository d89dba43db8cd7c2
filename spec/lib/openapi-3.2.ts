// The contract as OpenAPI 3.2, which can say what each item of a stream is.

import type { Document, Media, Schema } from "./complete.ts";
import { operationsOf } from "./complete.ts";

type Described = Document & { openapi: string };

const stream = "text/event-stream";

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
