// Loads generated/openapi.json: its operations with their validators, scopes and rate limits.
//
// openapi-backend reads the document and compiles the validators. Its handleRequest is not used, because it parses the body before the
// credential is checked, coerces parameters, and does much work twice per request. match-operation.ts says why its router is not used.

import { setImmediate } from "node:timers/promises";
import type { ErrorObject, ValidateFunction } from "ajv";
import { Ajv } from "ajv";
import type { Operation as Definition, Document } from "openapi-backend";
import { OpenAPIRouter, OpenAPIValidator } from "openapi-backend";
import type { MediaType } from "../body/body.ts";
import type { OperationId, Scope } from "../operations.ts";
import type { PublishedLimits } from "../rate-limits/policies.ts";
import type { Schema } from "./bounds.ts";
import { type Deprecation, deprecationHeaders } from "./deprecation.ts";
import { resolveReferences } from "./dereference.ts";
import { readContract } from "./document.ts";
import { type BodySchema, truncatorOf } from "./excess-faults.ts";
import { acceptAnyItem } from "./item-validation.ts";
import { type Match, matcher } from "./match-operation.ts";
import type { ParameterKind, ParameterKinds } from "./parameters.ts";

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

export type ToolDefinition = Readonly<{ required?: readonly string[]; idempotent?: boolean; destructive?: boolean }>;

export type Contract = Readonly<{
  operations: readonly Operation[];
  /** All scopes. */
  scopes: readonly Scope[];
  /** Rate limits by name. */
  limits: PublishedLimits;
  /** Its schemas by name, references resolved. */
  schemas: Readonly<Record<string, Schema>>;
  /** Finds the operation of a request, or else the methods of its path (none when there is no such path). */
  match: (method: string, path: string) => Match<Operation>;
  /** Compiles the validator of a schema, by its name: fills in defaults, and returns null when the value is valid. */
  checkerOf: (schema: string) => Operation["checkBody"];
  /**
   * Compiles the validators that no request has needed yet, those of one operation in each turn of the event loop, so that requests are
   * answered meanwhile. Rejects when a schema cannot be compiled.
   */
  compileValidators: () => Promise<void>;
}>;

/** The operation of this id. Throws an Error when the contract has none. */
export function operationOf({ operations }: Pick<Contract, "operations">, id: OperationId): Operation {
  const operation = operations.find((known) => known.id === id);
  if (!operation) throw new Error(`the contract has no ${id}`);
  return operation;
}

/** Loads the contract. Validators are compiled later: when a request first needs them, or by `compileValidators`. */
export async function loadContract(document = readContract()): Promise<Contract> {
  const definition = acceptAnyItem(resolveReferences(document));
  const { router, validator } = openBackend(definition);
  const definitions = router.getOperations();
  const checks = definitions.map((operation) => checksOf(validator, operation));
  const operations = definitions.map((operation, index) => ({ ...describe(operation), ...(checks[index] as Checks) }));
  const { components } = definition;
  return {
    operations,
    scopes: components.schemas.Scope.enum,
    limits: definition["x-rate-limits"],
    schemas: components.schemas,
    match: matcher(operations),
    checkerOf: (schema) => schemaChecker(components.schemas[schema] as BodySchema),
    compileValidators: async () => {
      for (const { compile } of checks) {
        await setImmediate();
        compile();
      }
    },
  };
}

/** Ajv does not validate the contract's schemas at every start, which took a quarter of the time of compiling: operations.test.ts does. */
const unchecked = { meta: false, validateSchema: false };

type Backend = { router: OpenAPIRouter; validator: OpenAPIValidator };

/**
 * Opens openapi-backend's router and validator on a document whose references are resolved. Its own `init` would parse, copy and
 * dereference that once more, a fifth of the processor time of a start, and check it against OpenAPI 3.0; `make check` checks it.
 */
function openBackend(definition: Document): Backend {
  const router = new OpenAPIRouter({ definition, ignoreTrailingSlashes: false });
  const validator = new OpenAPIValidator({
    definition,
    router,
    lazyCompileValidators: true,
    ajvOpts: unchecked,
    customizeAjv: sharedAjv(),
  });
  return { router, validator };
}

function describe(definition: Definition): Omit<Operation, keyof Checks> {
  const id = definition.operationId as OperationId;
  return {
    id,
    method: definition.method.toUpperCase(),
    path: definition.path,
    scopes: scopesOf(definition),
    alternatives: alternativesOf(definition),
    limit: (definition as OperationDefinition)["x-rate-limit"] ?? null,
    pointsPerToken: (definition as OperationDefinition)["x-rate-limit-points"] ?? null,
    overlayKey: (definition.security ?? []).some((schemes) => "OverlayKey" in schemes),
    query: queryKinds(definition),
    headers: headerNames(definition),
    readPath: pathReader(definition.path),
    bodyTypes: Object.keys(contentOf(definition)) as MediaType[],
    takesFile: takesFile(definition),
    maxBodyBytes: (definition as OperationDefinition)["x-max-body-bytes"] ?? null,
    bodyMembers: Object.keys(contentOf(definition)["application/json"]?.schema?.properties ?? {}),
    deprecation: deprecationHeaders((definition as OperationDefinition)["x-deprecation"]),
    oauth: (definition as OperationDefinition)["x-oauth"] === true,
    definition: definition as OperationDefinition,
  };
}

type Checks = Pick<Operation, "checkBody" | "checkParameters">;

/** The validators of an operation. They are compiled by the first call of any of these functions, which takes a few milliseconds. */
function checksOf(validator: OpenAPIValidator, definition: Definition): Checks & { compile: () => Checks } {
  let compiled: Checks | null = null;
  const compile = () => (compiled ??= compileChecks(validator, definition));
  return {
    compile,
    checkBody: (body) => compile().checkBody(body),
    checkParameters: (parameters) => compile().checkParameters(parameters),
  };
}

function compileChecks(validator: OpenAPIValidator, definition: Definition): Checks {
  const [bodyOrParameters, parameters] = validator.buildRequestValidatorsForOperation(definition) ?? [];
  const checkParameters = parameters ?? bodyOrParameters;
  if (!bodyOrParameters || !checkParameters) throw new Error(`the contract gives ${definition.operationId} no validators`);
  return {
    checkBody: takesFile(definition) ? () => null : bodyChecker(bodyOrParameters, contentOf(definition)["application/json"]?.schema ?? {}),
    checkParameters: checker(checkParameters),
  };
}

type Content = Record<string, { schema?: BodySchema } | undefined>;

function contentOf({ requestBody }: Definition): Content {
  return ((requestBody as { content?: Content } | undefined)?.content ?? {}) as Content;
}

/** The contract describes a file by its media type alone. */
function takesFile(definition: Definition): boolean {
  return Object.values(contentOf(definition)).some((media) => media?.schema !== undefined && "contentMediaType" in media.schema);
}

/** Scopes of the Bearer credential. The operation itself handles other schemes, such as HTTP Basic of a client. */
function scopesOf({ security }: Definition): Scope[] | null {
  const requirement = security?.find((schemes) => "Credential" in schemes);
  return requirement ? (requirement.Credential as Scope[]) : null;
}

/** Scopes that do as well as those of `scopesOf`. */
function alternativesOf({ security = [] }: Definition): Scope[][] {
  return security.flatMap((schemes) => ("Credential" in schemes ? [schemes.Credential as Scope[]] : [])).slice(1);
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

/** Defaults are filled into the body itself, unless it had to be shortened. */
function bodyChecker(validate: ValidateFunction, schema: BodySchema): Operation["checkBody"] {
  const check = checker(validate);
  const truncate = truncatorOf(schema);
  return (body) => {
    const requestBody = truncate(body.requestBody);
    return check(requestBody === body.requestBody ? body : { requestBody });
  };
}

function schemaChecker(schema: BodySchema): Operation["checkBody"] {
  const wrapped = { type: "object", properties: { requestBody: schema } };
  return bodyChecker(makeAjv({ strict: false }).compile(wrapped), schema);
}

/** One Ajv for each context: it reports every fault and coerces nothing. `pattern` is checked, `format` is an annotation. */
function sharedAjv(): (original: unknown, options: unknown, context: unknown) => never {
  const cache = new Map<unknown, Ajv>();
  return (_original, options, context) => {
    const ajv = cache.get(context) ?? makeAjv(options as object);
    cache.set(context, ajv);
    return ajv as never;
  };
}

function makeAjv(options: object): Ajv {
  // strictNumbers off: 1e400 is a JSON number, too large rather than of a wrong type. optimize off: V8 does that as well, and compiling
  // takes a third less.
  const validation = { allErrors: true, verbose: true, coerceTypes: false, useDefaults: true, strictNumbers: false };
  const ajv = new Ajv({ ...options, ...validation, ...unchecked, code: { optimize: false } });
  for (const format of ["date-time", "uri-reference", "uri", "int32", "int64", "double", "float", "uuid"]) ajv.addFormat(format, true);
  return ajv;
}
