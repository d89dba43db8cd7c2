// generated/openapi.json as the running program uses it: which operation a request means, what it must look like, which scopes it needs.
//
// openapi-backend reads the document and compiles the validators. Its handleRequest is not used: it parses the body before it has
// looked at the credential, coerces parameters, and does much of its work twice per request; nor is its router (match-operation.ts says why).

import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv } from "ajv";
import type { Operation as Definition, Document } from "openapi-backend";
import { OpenAPIBackend } from "openapi-backend";
import type { MediaType } from "./body.ts";
import { type Deprecation, deprecationHeaders } from "./deprecation.ts";
import { resolveReferences } from "./dereference.ts";
import { readContract } from "./document.ts";
import { type BodySchema, cutFor } from "./excess-faults.ts";
import { type Match, matcher } from "./match-operation.ts";
import type { OperationId, Scope } from "./operations.ts";
import type { ParameterKind, ParameterKinds } from "./parameters.ts";
import type { PublishedLimits } from "./rate-limits/policies.ts";

export type Operation = Readonly<{
  id: OperationId;
  method: string;
  /** The path template, `/api/v1/donations/{donationId}`. */
  path: string;
  /** Null: no such credential needed. Empty: any credential. */
  scopes: readonly Scope[] | null;
  /** The rate limit it counts against; null: none, or it counts by itself. */
  limit: string | null;
  /** Points of an answer that one token pays for; null: every request takes one. */
  pointsPerToken: number | null;
  /** Whether it takes an overlay key, and nothing else. */
  overlayKey: boolean;
  query: ParameterKinds;
  /** Names of header parameters. */
  headers: readonly string[];
  readPath: (path: string) => Record<string, string>;
  /** Media types of the body; none: it takes no body. */
  bodyTypes: readonly MediaType[];
  /** Names of the body's members. */
  bodyMembers: readonly string[];
  /** Headers of every answer of an operation that will end; null: it stays. */
  deprecation: Readonly<Record<string, string>> | null;
  /** OAuth's operations have rules and errors of their own (RFC 6749 3.1, 3.2, 5.2). */
  oauth: boolean;
  /** As the contract has it, references resolved. */
  definition: OperationDefinition;
  /** Both fill defaults in. Null: valid. */
  checkBody: (body: { requestBody: unknown }) => readonly ErrorObject[] | null;
  checkParameters: (parameters: Record<string, unknown>) => readonly ErrorObject[] | null;
}>;

/** What the contract says of an operation, as far as we read it ourselves. */
export type OperationDefinition = Readonly<{
  summary?: string;
  description?: string;
  parameters?: readonly { name: string; in: string; required?: boolean; description?: string; schema: object }[];
  requestBody?: { content: ContentDefinition };
  responses: Readonly<Record<string, { content?: ContentDefinition }>>;
  /** The bucket of `x-rate-limits` that each request takes a token from (`@rateLimit`). */
  "x-rate-limit"?: string;
  /** Points of an answer that one token pays for. */
  "x-rate-limit-points"?: number;
  /** AI assistants can call it at /mcp (`@mcpTool`). */
  "x-mcp-tool"?: ToolDefinition;
  /** It is deprecated: since when, and until when it answers. */
  "x-deprecation"?: Deprecation;
  /** Requests and errors are OAuth's (`@oauth`). */
  "x-oauth"?: true;
}>;

type ContentDefinition = Readonly<Record<string, { schema?: object } | undefined>>;

/** What a tool is called: `listTopDonators` → `list_top_donators`. */
export function toolName(operationId: string): string {
  return operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export type ToolDefinition = Readonly<{ required?: readonly string[]; idempotent?: boolean; destructive?: boolean }>;

/** What we read of a schema ourselves; the validators are compiled from all of it. */
export type Schema = Readonly<{ properties?: Readonly<Record<string, Bounds>> }>;

/** What a schema says of a value. */
export type Bounds = Readonly<{
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  maxLength?: number;
  maxItems?: number;
  default?: unknown;
}>;

export type Contract = Readonly<{
  operations: readonly Operation[];
  /** Every scope there is. */
  scopes: readonly Scope[];
  /** Rate limits by name. */
  limits: PublishedLimits;
  /** Its schemas by name, references resolved. */
  schemas: Readonly<Record<string, Schema>>;
  /** The operation of a request, or the methods its path knows (none: no such path). */
  match: (method: string, path: string) => Match<Operation>;
}>;

/** Compiles every validator of the contract. Throws when the document is unusable. */
export async function loadContract(document = readContract()): Promise<Contract> {
  const definition = resolveReferences(document);
  const api = await openBackend(definition);
  const operations = api.router.getOperations().map((operation) => describe(api, operation));
  return {
    operations,
    scopes: definition.components.schemas.Scope.enum,
    limits: definition["x-rate-limits"],
    schemas: definition.components.schemas,
    match: matcher(operations),
  };
}

/** openapi-backend on a document whose references are resolved. */
export async function openBackend(definition: Document): Promise<OpenAPIBackend> {
  // quick: its own check of the document knows OpenAPI 3.0 only; `make check` checks the document instead.
  const api = new OpenAPIBackend({ definition, quick: true, strict: true, ignoreTrailingSlashes: false, customizeAjv: sharedAjv() });
  await api.init();
  return api;
}

function describe(api: OpenAPIBackend, definition: Definition): Operation {
  const id = definition.operationId as OperationId;
  const [bodyOrParameters, parameters] = api.validator.getRequestValidatorsForOperation(id) ?? [];
  const checkParameters = parameters ?? bodyOrParameters;
  if (!bodyOrParameters || !checkParameters) throw new Error(`the contract gives ${id} no validators`);
  return {
    id,
    method: definition.method.toUpperCase(),
    path: definition.path,
    scopes: scopesOf(definition),
    limit: (definition as OperationDefinition)["x-rate-limit"] ?? null,
    pointsPerToken: (definition as OperationDefinition)["x-rate-limit-points"] ?? null,
    overlayKey: (definition.security ?? []).some((schemes) => "OverlayKey" in schemes),
    query: queryKinds(definition),
    headers: headerNames(definition),
    readPath: pathReader(definition.path),
    bodyTypes: Object.keys(contentOf(definition)) as MediaType[],
    bodyMembers: Object.keys(contentOf(definition)["application/json"]?.schema?.properties ?? {}),
    deprecation: deprecationHeaders((definition as OperationDefinition)["x-deprecation"]),
    oauth: (definition as OperationDefinition)["x-oauth"] === true,
    definition: definition as OperationDefinition,
    checkBody: bodyChecker(bodyOrParameters, contentOf(definition)["application/json"]?.schema ?? {}),
    checkParameters: checker(checkParameters),
  };
}

type Content = Record<string, { schema?: BodySchema } | undefined>;

function contentOf({ requestBody }: Definition): Content {
  return ((requestBody as { content?: Content } | undefined)?.content ?? {}) as Content;
}

/** Scopes of the Bearer credential; other schemes (a client's HTTP Basic) are the operation's own business. */
function scopesOf({ security }: Definition): Scope[] | null {
  const requirement = security?.find((schemes) => "Credential" in schemes);
  return requirement ? (requirement.Credential as Scope[]) : null;
}

function queryKinds({ parameters = [] }: Definition): ParameterKinds {
  const inQuery = parameters.filter((parameter) => "in" in parameter && parameter.in === "query");
  return new Map(inQuery.map((parameter) => ("name" in parameter ? [parameter.name, kindOf(parameter.schema)] : ["", "string"])));
}

function headerNames({ parameters = [] }: Definition): string[] {
  return parameters.flatMap((parameter) => ("in" in parameter && parameter.in === "header" ? [parameter.name] : []));
}

const kinds = ["integer", "number", "boolean", "array"] as const;

function kindOf(schema: unknown): ParameterKind {
  const { type } = schema as { type?: string };
  return kinds.find((kind) => kind === type) ?? "string";
}

function pathReader(template: string): Operation["readPath"] {
  const names = template.split("/").map((part) => (part.startsWith("{") ? part.slice(1, -1) : null));
  if (names.every((name) => name === null)) return () => ({});
  return (path) => Object.fromEntries(path.split("/").flatMap((segment, i) => (names[i] ? [[names[i], segment]] : [])));
}

function checker(validate: ValidateFunction): (data: unknown) => readonly ErrorObject[] | null {
  return (data) => (validate(data) ? null : (validate.errors ?? []));
}

/** The body itself is validated where nothing in it is too much: defaults are filled in. */
function bodyChecker(validate: ValidateFunction, schema: BodySchema): Operation["checkBody"] {
  const check = checker(validate);
  const cut = cutFor(schema);
  return (body) => {
    const requestBody = cut(body.requestBody);
    return check(requestBody === body.requestBody ? body : { requestBody });
  };
}

/** One Ajv for each context. Every fault, no coercion; `pattern` decides, `format` is an annotation. */
function sharedAjv(): (original: unknown, options: unknown, context: unknown) => never {
  const made = new Map<unknown, Ajv>();
  return (_original, options, context) => {
    const ajv = made.get(context) ?? makeAjv(options as object);
    made.set(context, ajv);
    return ajv as never;
  };
}

function makeAjv(options: object): Ajv {
  // strictNumbers off: 1e400 is a JSON number, too large rather than of a wrong type.
  const ajv = new Ajv({ ...options, allErrors: true, verbose: true, coerceTypes: false, useDefaults: true, strictNumbers: false });
  for (const format of ["date-time", "uri-reference", "uri", "int32", "int64", "double", "float", "uuid"]) ajv.addFormat(format, true);
  return ajv;
}
