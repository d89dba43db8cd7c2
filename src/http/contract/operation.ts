// An operation of the contract: what the program reads of its definition.

import type { ErrorObject } from "ajv";
import type { OperationId, Scope } from "../operations.ts";
import type { ParameterKinds } from "./parameters.ts";

export type MediaType = "application/json" | "application/x-www-form-urlencoded" | "application/x-ndjson" | "multipart/form-data";

export type Operation = Readonly<{
  id: OperationId;
  method: string;
  /** The path template, `/api/v1/donations/{donationId}`. */
  path: string;
  /** Null: no credential is needed. Empty: any credential is accepted. */
  scopes: readonly Scope[] | null;
  /** Scopes that do as well. */
  alternatives: readonly (readonly Scope[])[];
  /** Its rate limit; null when it has none, or counts in its own way. */
  limit: string | null;
  /** Points of the answer for each token of the rate limit; null: every request takes one token. */
  pointsPerToken: number | null;
  /** Whether an overlay key is its only credential. */
  overlayKey: boolean;
  /** Whether a ticket in the query may stand for the header Authorization. */
  takesTicket: boolean;
  query: ParameterKinds;
  /** Names of header parameters. */
  headers: readonly string[];
  readPath: (path: string) => Record<string, string>;
  /** Media types of the body; empty when it takes no body. */
  bodyTypes: readonly MediaType[];
  /** Whether its body is a file, of any of `bodyTypes`, instead of members. */
  takesFile: boolean;
  /** The maximum size of its body when it differs from that of others; null: it does not. */
  maxBodyBytes: number | null;
  /** Names of the body's members. */
  bodyMembers: readonly string[];
  /** Headers of every answer when it is deprecated; otherwise null. */
  deprecation: Readonly<Record<string, string>> | null;
  /** OAuth's operations have rules and errors of their own (RFC 6749 3.1, 3.2, 5.2). */
  oauth: boolean;
  /** Its definition in the contract, references resolved. */
  definition: OperationDefinition;
  /** These two fill in defaults, and return null when the values are valid. */
  checkBody: (body: { requestBody: unknown }) => readonly ErrorObject[] | null;
  checkParameters: (parameters: Record<string, unknown>) => readonly ErrorObject[] | null;
}>;

/** The parts of an operation in the contract that the program reads itself. */
export type OperationDefinition = Readonly<{
  summary?: string;
  description?: string;
  parameters?: readonly { name: string; in: string; required?: boolean; description?: string; schema: object }[];
  requestBody?: { content: ContentDefinition };
  responses: Readonly<Record<string, { content?: ContentDefinition }>>;
  /** The rate limit of `x-rate-limits` from which each request takes a token (`@rateLimit`). */
  "x-rate-limit"?: string;
  /** Points of the answer for each token. */
  "x-rate-limit-points"?: number;
  /** AI assistants can call it at /mcp (`@mcpTool`). */
  "x-mcp-tool"?: ToolDefinition;
  /** Deprecated: since when, and until when it answers. */
  "x-deprecation"?: Deprecation;
  /** The maximum size of its body, when it differs from that of others. */
  "x-max-body-bytes"?: number;
  /** Its requests and errors follow OAuth (`@oauth`). */
  "x-oauth"?: true;
}>;

type ContentDefinition = Readonly<Record<string, { schema?: object } | undefined>>;

/** The name of the tool of an operation: `listTopDonators` → `list_top_donators`. */
export function toolName(operationId: string): string {
  return operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

type ToolDefinition = Readonly<{ required?: readonly string[]; idempotent?: boolean; destructive?: boolean }>;

/** `x-deprecation` of an operation in the contract. Dates are days, `2026-11-01`, and begin at midnight UTC. */
export type Deprecation = Readonly<{
  /** The day from which it should no longer be used. */
  since: string;
  /** The day from which it may be removed. */
  sunset: string;
  /** The operation to use in its place. */
  instead?: string;
}>;

/** The section of the guides about deprecated operations. */
const guide = "/docs/versions#deprecated-operations";

/** The headers of each answer; null when the operation is not deprecated. */
export function deprecationHeaders(deprecation: Deprecation | undefined): Readonly<Record<string, string>> | null {
  if (!deprecation) return null;
  return Object.freeze({
    Deprecation: `@${Date.parse(deprecation.since) / 1_000}`,
    Sunset: new Date(deprecation.sunset).toUTCString(), // an HTTP-date (RFC 9110 5.6.7), by ECMA-262 21.4.4.43
    Link: `<${guide}>; rel="deprecation"; type="text/html"`,
  });
}

/** The same as Markdown, for the reference and for assistants. */
export function deprecationNote({ since, sunset, instead }: Deprecation): string {
  const replacement = instead ? ` Use \`${instead}\` instead.` : "";
  return `**Deprecated** since ${since}; may be gone from ${sunset} on.${replacement}`;
}
