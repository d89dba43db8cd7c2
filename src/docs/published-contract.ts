// generated/openapi.json as the guides tell of it.

import { type Deprecation, deprecationNote } from "../http/contract/operation.ts";
import { readContract } from "../http/contract/published.ts";

export type Document = Readonly<{
  info: { title: string; version: string; description: string };
  tags: readonly { name: string }[];
  servers: readonly { url: string; description: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  components: {
    schemas: Readonly<{
      [name: string]: object;
      Scope: { enum: readonly string[] };
      ExternalDonation: { properties: Record<string, Schema> };
      ImportBatch: { properties: { donations: { maxItems: number } } };
    }>;
  };
  "x-problems": Readonly<Record<string, ProblemWords>>;
  /** What each scope allows. */
  "x-scopes": Readonly<Record<string, string>>;
  "x-rate-limits": Readonly<Record<string, Quota & { per: string; perStreamer?: number }>>;
}>;

/** What guides say of a value. */
export type Schema = Readonly<{ $ref?: string; minLength?: number; maxLength?: number; exclusiveMinimum?: number; maximum?: number }>;

export type Quota = Readonly<{ quota: number; window: number; burst: number }>;

type ProblemWords = Readonly<{
  status: number;
  title: string;
  /** In which case it is answered. */
  when: string;
  /** What the client does then. */
  remedy: string;
}>;

type DocumentedOperation = Readonly<{
  operationId: string;
  summary: string;
  description?: string;
  tags: readonly string[];
  security?: readonly Readonly<Record<string, readonly string[]>>[];
  "x-rate-limit"?: string;
  /** Present: assistants can call it at /mcp. */
  "x-mcp-tool"?: object;
  /** Present: it will end. */
  "x-deprecation"?: Deprecation;
}>;

export type Operation = DocumentedOperation & Readonly<{ method: string; path: string }>;

export function readDocument(): Document {
  return readContract();
}

/** The AsyncAPI document as this server publishes it: with its own address, over HTTP and as a WebSocket. */
export function eventsPublishedAt(document: object, baseUrl: string): object {
  const { host, protocol, pathname } = new URL(baseUrl);
  const place = { host, ...(pathname !== "/" && { pathname }) };
  const scheme = protocol.slice(0, -1);
  const servers = { http: { ...place, protocol: scheme }, websocket: { ...place, protocol: scheme.replace("http", "ws") } };
  return { ...document, servers };
}

/** The address of examples in spec/. */
const exampleUrl = "https://api.example.com";

/** The document as this server publishes it: with its own address, also in examples, and with a sentence on what is deprecated. */
export function publishedAt(contract: Document, baseUrl: string): Document {
  const document = JSON.parse(JSON.stringify(contract).replaceAll(exampleUrl, baseUrl)) as Document;
  return { ...document, servers: [{ url: baseUrl, description: "This server." }], paths: withDeprecationNotes(document.paths) };
}

function withDeprecationNotes(paths: Document["paths"]): Document["paths"] {
  return mapValues(paths, (methods) =>
    mapValues(methods, ({ "x-deprecation": deprecation, ...operation }) => {
      if (!deprecation) return operation;
      const description = [deprecationNote(deprecation), operation.description].filter(Boolean).join("\n\n");
      return { ...operation, description, "x-deprecation": deprecation };
    }),
  );
}

function mapValues<Value>(object: Readonly<Record<string, Value>>, change: (value: Value) => Value): Record<string, Value> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

/** In the order of the reference: by tag. */
export function operationsOf({ paths, tags }: Document): Operation[] {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method: method.toUpperCase() })),
  );
  const place = ({ tags: [tag] }: Operation) => tags.findIndex(({ name }) => name === tag);
  return operations.sort((a, b) => place(a) - place(b));
}

/** Scopes that the operation needs; null: it takes no credential with scopes. */
export function scopesOf({ security = [] }: Operation): readonly string[] | null {
  return security.find((schemes) => "Credential" in schemes)?.Credential ?? null;
}
