// The documents that spec/ compiles to, and the values of the contract that the code needs beside the validators. They are read at the start,
// so that no number or list is written twice.

import { readFileSync } from "node:fs";
import type { components, operations } from "../../../generated/api.d.ts";

type Schemas = components["schemas"];

type Published = Readonly<{
  info: Readonly<{ version: string }>;
  paths: Readonly<Record<string, Readonly<Record<string, PublishedOperation>>>>;
  components: Readonly<{
    schemas: Readonly<Record<string, PublishedSchema>>;
    parameters: Readonly<Record<string, PublishedParameter>>;
  }>;
  "x-max-body-bytes": number;
  "x-max-nesting": number;
  "x-max-buckets": number;
  "x-problems": Readonly<Record<string, Readonly<{ status: number; title: string }>>>;
}>;
type PublishedOperation = Readonly<{
  responses: Readonly<Record<string, { content: object }>>;
  "x-max-body-bytes"?: number;
  "x-max-total-bytes"?: number;
}>;
type PublishedSchema = Readonly<{
  examples?: readonly unknown[];
  enum?: readonly string[];
  pattern?: string;
  maxItems?: number;
  maxLength?: number;
  maximum?: number;
  properties?: Readonly<Record<string, { maxItems?: number }>>;
}>;
type PublishedParameter = Readonly<{ schema: { default?: unknown } }>;

export const generatedFolder = new URL("../../../generated/", import.meta.url);

const document: Published = readContract();
const { schemas, parameters } = document.components;

export const contractVersion = document.info.version;

export const allScopes = schemas.Scope?.enum as readonly Schemas["Scope"][];

/** The maximum size of a request body. */
export const maxBodyBytes = document["x-max-body-bytes"];

const upload = document.paths["/api/v1/alert-files"]?.post;

/** The maximum size of an image or a sound. */
export const maxFileBytes = upload?.["x-max-body-bytes"] as number;

/** The maximum size of all images and sounds of a streamer together. */
export const maxTotalFileBytes = upload?.["x-max-total-bytes"] as number;

/** The maximum depth of arrays and objects in a JSON body. */
export const maxNesting = document["x-max-nesting"];

/** Status and title of every problem code. */
export const problemTable = document["x-problems"];

/** The maximum number of buckets of a trend. */
export const maxBuckets = document["x-max-buckets"];

/** The time zone of local days where a request, a streamer or a file names none. */
export const defaultTimezone = parameters["ReportParameters.timezone"]?.schema.default as string;

/** The sources that are counted when a request names none. */
export const countedSources = parameters["ReportParameters.source"]?.schema.default as readonly Schemas["Source"][];

export type SpeechMediaType = keyof operations["getSpeech"]["responses"][200]["content"];

/** Media types of the speech that overlays receive. */
export const speechMediaTypes = Object.keys(
  document.paths["/api/v1/overlay/speech/{speechId}"]?.get?.responses[200]?.content ?? {},
) as readonly SpeechMediaType[];

/** The contract's example of a donation, with every member. */
export const donationExample = schemas.Donation?.examples?.[0] as Required<Schemas["Donation"]>;

export const eventTypes = enumOf("EventType");

/** The members of an enum of the contract, in its order. */
export function enumOf<Name extends keyof Schemas>(name: Name): readonly Schemas[Name][] {
  return schemas[name]?.enum as readonly Schemas[Name][];
}

/** Whether a text has the form of an id of the contract. */
export const isId = writtenAs("id");
export const isSpeechId = writtenAs("speechId");

/** Whether a text is a date-time of interface 2.2, of a day that exists. */
export const isDateTime = writtenAs("createdAt");

/** Whether a text is a local day, such as `2026-11-21`, that exists. */
export const isLocalDay = writtenAs("localDay");

/** Whether a text is a colour in the form of the contract. */
export const isAlertColor = writtenAs("alertColor");

/** Whether a text has the form of a goal's id in the contract. */
export const isGoalId = writtenAs("goalId");

/** Whether a text has the form of a voice's name in the contract. */
export const isVoiceName = writtenAs("voiceName");

/** The maximum number of items of a list in the contract. Throws an Error when there is none. */
export function maxItemsOf<Name extends keyof Schemas>(schema: Name, member: keyof Schemas[Name] & string): number {
  return stated(schemas[schema]?.properties?.[member]?.maxItems, `${schema}.${member}`);
}

/** The maximum number of items of a list that has a name of its own. Throws an Error when there is none. */
export function maxItemsOfList(list: keyof Schemas): number {
  return stated(schemas[list]?.maxItems, list);
}

/** The maximum of a number that has a name of its own. Throws an Error when there is none. */
export function maximumOf(number: keyof Schemas): number {
  return stated(schemas[number]?.maximum, number);
}

/** The maximum length of a text that has a name of its own, in code points. Throws an Error when there is none. */
export function maxLengthOf(text: keyof Schemas): number {
  return stated(schemas[text]?.maxLength, text);
}

function stated(bound: number | undefined, name: string): number {
  if (bound === undefined) throw new Error(`the contract sets no bound for ${name}`);
  return bound;
}

function writtenAs(scalar: keyof Schemas & string): (text: string) => boolean {
  const pattern = new RegExp(schemas[scalar]?.pattern as string, "u");
  return (text) => pattern.test(text);
}

/** The parts of a schema that the program reads itself. */
export type Schema = Readonly<{ properties?: Readonly<Record<string, Bounds>> }>;

/** The bounds of a value in a schema. */
export type Bounds = Readonly<{
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  default?: unknown;
  /** The kinds of value that are allowed, such as a number and null. */
  anyOf?: readonly Bounds[];
}>;

/** The bounds that the contract gives a member of a schema. If the member may be null, they are those of its other type. */
export function boundsOf(schema: string, member: string): Bounds {
  const bounds = resolveIn(document, schemas[schema]?.properties?.[member] ?? {}) as Bounds;
  return bounds.anyOf?.[0] ?? bounds;
}

/** The contract as OpenAPI 3.1. Each call returns a new object, which the caller may change. */
export function readContract() {
  return readGenerated("openapi.json");
}

/** A file of generated/, by its name. */
export function readGenerated(name: "openapi.json" | "openapi-3.2.json" | "asyncapi.json") {
  return JSON.parse(readFileSync(new URL(name, generatedFolder), "utf8"));
}

// OpenAPI 3.1 lets a reference have siblings, `{ "$ref": …, "default": 20 }`, and the contract's defaults are such siblings.
// openapi-backend's dereferencing drops them, so references are resolved before it sees the document.

type Node = Record<string, unknown>;

/** The document with every local reference replaced by its target, siblings of the reference winning. References must not form a cycle. */
export function resolveReferences<Document extends object>(document: Document): Document {
  return resolveIn(document, document) as Document;
}

function resolveIn(document: object, value: unknown): unknown {
  const resolve = (part: unknown) => resolveIn(document, part);
  if (Array.isArray(value)) return value.map(resolve);
  if (typeof value !== "object" || value === null) return value;
  const { $ref } = value as Node;
  const resolved: Node = typeof $ref === "string" ? (resolve(targetOf(document, $ref)) as Node) : {}; // a copy of its own
  for (const name of Object.keys(value)) if (name !== "$ref" || typeof $ref !== "string") resolved[name] = resolve((value as Node)[name]);
  return resolved;
}

function targetOf(document: object, reference: string): unknown {
  const names = reference
    .replace(/^#\//, "")
    .split("/")
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
  const target = names.reduce<unknown>((node, name) => (node as Node | undefined)?.[name], document);
  if (target === undefined) throw new Error(`the contract has no ${reference}`);
  return target;
}

type Body = { content?: Record<string, { schema?: BodySchema }> };
type BodySchema = { properties?: Record<string, BodySchema>; items?: unknown; "x-validated-per-item"?: boolean };
type Paths = Record<string, Record<string, { requestBody?: Body }>>;

/**
 * The document, in which the validators of request bodies accept any item of a list with `x-validated-per-item`: its handler validates the items
 * one by one, so that a faulty item does not refuse the others. References must be resolved. The document is changed in place.
 */
export function acceptAnyItem<Document extends { paths: object }>(document: Document): Document {
  for (const methods of Object.values(document.paths as Paths))
    for (const { requestBody } of Object.values(methods))
      for (const { schema } of Object.values(requestBody?.content ?? {})) if (schema) openItems(schema);
  return document;
}

function openItems({ properties = {} }: BodySchema): void {
  for (const list of Object.values(properties)) if (list["x-validated-per-item"]) delete list.items;
}
