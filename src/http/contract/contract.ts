// Loads generated/openapi.json: its operations with their validators, scopes and rate limits.
//
// openapi-backend reads the document and compiles the validators. Its handleRequest is not used, because it parses the body before the
// credential is checked, coerces parameters, and does much work twice per request. `matcher` says why its router is not used.

import { setImmediate } from "node:timers/promises";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import { type Operation as Definition, type Document, OpenAPIRouter, OpenAPIValidator } from "openapi-backend";
import type { OperationId, Scope } from "../operations.ts";
import type { PublishedLimits } from "../rate-limits/token-bucket.ts";
import { type BodySchema, truncatorOf } from "./faults.ts";
import { deprecationHeaders, type MediaType, type Operation, type OperationDefinition } from "./operation.ts";
import type { ParameterKind } from "./parameters.ts";
import { acceptAnyItem, readContract, resolveReferences, type Schema } from "./published.ts";

export type Contract = Readonly<{
  operations: readonly Operation[];
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
export function operationOf({ operations }: Contract, id: OperationId): Operation {
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
  const { operationId, method, path, security = [] } = definition;
  const own = definition as OperationDefinition; // its references are resolved
  const parametersIn = (place: string) => (own.parameters ?? []).filter((parameter) => parameter.in === place);
  const [scopes = null, ...alternatives] = security.flatMap(scopesIn);
  return {
    id: operationId as OperationId,
    method: method.toUpperCase(),
    path,
    scopes,
    alternatives,
    limit: own["x-rate-limit"] ?? null,
    pointsPerToken: own["x-rate-limit-points"] ?? null,
    takesTicket: security.some((schemes) => "Ticket" in schemes),
    overlayKey: security.some((schemes) => "OverlayKey" in schemes),
    query: new Map(parametersIn("query").map(({ name, schema }) => [name, kindOf(schema)])),
    headers: parametersIn("header").map(({ name }) => name),
    readPath: pathReader(path),
    bodyTypes: Object.keys(contentOf(definition)) as MediaType[],
    takesFile: takesFile(definition),
    maxBodyBytes: own["x-max-body-bytes"] ?? null,
    bodyMembers: Object.keys(contentOf(definition)["application/json"]?.schema?.properties ?? {}),
    deprecation: deprecationHeaders(own["x-deprecation"]),
    oauth: own["x-oauth"] === true,
    definition: own,
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
  return (requestBody as { content?: Content } | undefined)?.content ?? {};
}

/** The contract describes a file by its media type alone. */
function takesFile(definition: Definition): boolean {
  return Object.values(contentOf(definition)).some((media) => media?.schema !== undefined && "contentMediaType" in media.schema);
}

/** Scopes of the Bearer credential. The operation itself handles other schemes, such as HTTP Basic of a client. */
function scopesIn(schemes: Readonly<Record<string, string[]>>): Scope[][] {
  return "Credential" in schemes ? [schemes.Credential as Scope[]] : [];
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

// Finds the operation of a request. openapi-backend's own router filters all operations and compiles an expression for each, on every request;
// here paths without parameters are looked up, and the others are compared segment by segment. contract.test.ts compares both.

type Routed = Readonly<{
  method: string;
  /** A template, such as `/api/v1/donations/{donationId}`. */
  path: string;
}>;

type Match<Operation> = { operation: Operation } | { operation: null; allow: string[] };

/**
 * Finds the operation of a request, or else the methods of its path (none when there is no such path). An exact path has priority over
 * templates for every method: GET /donations/batch is not the donation "batch" (OpenAPI 3.1, Paths Object).
 */
export function matcher<Operation extends Routed>(operations: readonly Operation[]): (method: string, path: string) => Match<Operation> {
  const withoutParameters = operations.filter(({ path }) => !path.includes("{"));
  const exactPaths = new Set(withoutParameters.map(({ path }) => path));
  const exact = new Map(withoutParameters.map((operation) => [keyOf(operation.method, operation.path), operation]));
  const templates = operations
    .filter(({ path }) => path.includes("{"))
    .map((operation) => ({ operation, parts: operation.path.split("/") }));
  // A part more than any template has tells enough of a path of thousands.
  const most = 1 + Math.max(0, ...templates.map(({ parts }) => parts.length));
  const byTemplate = (method: string, segments: readonly string[]) =>
    templates.filter(({ operation, parts }) => operation.method === method && fits(parts, segments)).sort(mostLiteralFirst)[0]?.operation;
  return (method, path) => {
    const wanted = method === "HEAD" ? "GET" : method;
    const isExact = exactPaths.has(path);
    const segments = isExact ? [] : path.split("/", most);
    const operation = isExact ? exact.get(keyOf(wanted, path)) : byTemplate(wanted, segments);
    if (operation) return { operation };
    const others = isExact ? withoutParameters.filter((one) => one.path === path) : fitting(templates, segments);
    return { operation: null, allow: allowed(others) };
  };
}

const keyOf = (method: string, path: string) => `${method} ${path}`;

type Template = { parts: readonly string[] };

function mostLiteralFirst(a: Template, b: Template): number {
  return literals(b.parts) - literals(a.parts);
}

function literals(parts: readonly string[]): number {
  return parts.filter((part) => !part.startsWith("{")).join("/").length;
}

function fitting<Operation>(templates: readonly (Template & { operation: Operation })[], segments: readonly string[]): Operation[] {
  return templates.filter(({ parts }) => fits(parts, segments)).map(({ operation }) => operation);
}

/** Methods that some of the operations of a path have. */
function allowed(operations: readonly Routed[]): string[] {
  const methods = operations.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return methods.length > 0 ? [...methods, "OPTIONS"] : [];
}

function fits(parts: readonly string[], segments: readonly string[]): boolean {
  return parts.length === segments.length && parts.every((part, i) => part === segments[i] || (part.startsWith("{") && segments[i] !== ""));
}
