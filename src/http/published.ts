// Values of the contract that code needs beside the validators, read when the program starts: no number or list stands twice.

import { readContract } from "./document.ts";
import type { operations, Schemas } from "./operations.ts";

type Published = Readonly<{
  paths: Readonly<Record<string, Readonly<Record<string, { responses: Readonly<Record<string, { content: object }>> }>>>>;
  components: Readonly<{
    schemas: Readonly<Record<string, PublishedSchema>>;
    parameters: Readonly<Record<string, PublishedParameter>>;
  }>;
  "x-max-body-bytes": number;
  "x-max-nesting": number;
  "x-max-buckets": number;
  "x-problems": Readonly<Record<string, Readonly<{ status: number; title: string }>>>;
}>;
type PublishedSchema = Readonly<{ pattern?: string; properties?: Readonly<Record<string, { maxItems?: number }>> }>;
type PublishedParameter = Readonly<{ schema: { default?: unknown } }>;

const document: Published = readContract();
const { schemas, parameters } = document.components;

/** Bytes a request body may have. */
export const maxBodyBytes = document["x-max-body-bytes"];

/** Levels of arrays and objects in a JSON body. */
export const maxNesting = document["x-max-nesting"];

/** Status and title of every problem code. */
export const problemTable = document["x-problems"];

/** Buckets that one trend may have. */
export const maxBuckets = document["x-max-buckets"];

/** Which donations count where nobody names sources. */
export const countedSources = parameters["ReportParameters.source"]?.schema.default as readonly Schemas["Source"][];

export type SpeechMediaType = keyof operations["getSpeech"]["responses"][200]["content"];

/** Media types of sound that overlays are served. */
export const speechMediaTypes = Object.keys(
  document.paths["/api/v1/overlay/speech/{speechId}"]?.get?.responses[200]?.content ?? {},
) as readonly SpeechMediaType[];

/** Whether a text is written as the contract writes ids; anything else names nothing. */
export const isId = writtenAs("id");
export const isSpeechId = writtenAs("speechId");

/** How many items a list of the contract holds at most. */
export function mostItems<Name extends keyof Schemas>(schema: Name, member: keyof Schemas[Name] & string): number {
  const most = schemas[schema]?.properties?.[member]?.maxItems;
  if (most === undefined) throw new Error(`the contract sets no bound for ${schema}.${member}`);
  return most;
}

function writtenAs(scalar: keyof Schemas & string): (text: string) => boolean {
  const pattern = new RegExp(schemas[scalar]?.pattern as string, "u");
  return (text) => pattern.test(text);
}
