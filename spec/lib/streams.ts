// Bodies that are streams: server-sent events, and lines of JSON. TypeSpec describes one item of them, OpenAPI 3.1 can only describe the text
// as a whole, and OpenAPI 3.2 both.

import { type Document, type Media, operationsOf, resolveReference, type Schema } from "./complete.ts";

type Stream = Media & { schema: { contentSchema: Schema } };

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
export function streamsOf(document: Document): { type: string; media: Stream }[] {
  return contentsOf(document).flatMap((content) =>
    Object.entries(content).flatMap(([type, media]) =>
      media.schema && "contentSchema" in media.schema ? [{ type, media: media as Stream }] : [],
    ),
  );
}

export const isEvents = (type: string): boolean => type === events;

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
