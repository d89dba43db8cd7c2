// The published contract: its operations, and its schemas as validators. Types contain only what the suite reads.

import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import document from "../../../generated/openapi.json" with { type: "json" };

export type Schema = { [keyword: string]: unknown };
export type Parameter = { name: string; in: "query" | "path" | "header"; required?: boolean; schema: Schema };
export type Header = { required?: boolean; schema: Schema };
type Shared<Part> = Part | { $ref: string };
type Responses = Record<string, Shared<Response>>;
export type Media = { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };
/** `pointer`: where it stands in the contract; so of each header. */
export type Response = {
  pointer: string;
  headers?: Record<string, Header & { pointer: string }>;
  content?: Record<string, Media>;
};

export type Operation = {
  id: string;
  /** Upper case. */
  method: string;
  /** With `{parameters}`. */
  path: string;
  parameters: Parameter[];
  requestBody: { required?: boolean; content: Record<string, Media> } | null;
  responses: Record<string, Response>;
  /** Scopes that the Bearer credential needs; null where none is asked for. */
  scopes: string[] | null;
  /** Whether it takes an overlay key. */
  overlayKey: boolean;
  /** Alternative security requirements, schemes with scopes; an empty one: no credential is needed. */
  security: Record<string, string[]>[];
  /** First day of its deprecation and last day of its service; null: not deprecated. */
  deprecation: { since: string; sunset: string } | null;
  /** Bytes that its body may have, when it is another number than that of all operations. */
  maxBodyBytes: number | null;
  /** Whether assistants can call it at /mcp. */
  isTool: boolean;
  /** JSON pointer of the operation in the contract. */
  pointer: string;
};

export const contract: Schema = document;

const verbs = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

const unknownPath = { $ref: "#/components/responses/RouteNotFound" };

/** What is answered where the path is none of the contract. */
export const routeNotFound = responsesOf(contract, { 404: unknownPath }, "")["404"] as Response;

/** The operations of the published contract. */
export const operations: Operation[] = operationsIn(contract);

/** Operations of the versioned API: its conventions, such as problems and sealed bodies, are not those of OAuth. */
export const apiOperations: Operation[] = operations.filter(({ path }) => path.startsWith("/api/v1/"));

/** Every scope that there is. */
export const scopes = (contract.components as { schemas: { Scope: { enum: string[] } } }).schemas.Scope.enum;

export const eventTypes = (contract.components as { schemas: { EventType: { enum: string[] } } }).schemas.EventType.enum;

/** The operations of any contract. */
export function operationsIn(document: Schema): Operation[] {
  return Object.entries(document.paths as Record<string, Record<string, Schema>>).flatMap(([path, item]) =>
    verbs.filter((verb) => item[verb]).map((verb) => operationOf(document, path, verb)),
  );
}

export function operation(id: string): Operation {
  const found = operations.find((one) => one.id === id);
  if (!found) throw new Error(`generated/openapi.json has no operation ${id}`);
  return found;
}

/** The operation that answers this request; HEAD is answered by GET. A literal path wins over one with parameters. */
export function operationAt(method: string, pathname: string): Operation | null {
  const verb = method === "HEAD" ? "GET" : method;
  const matching = operations.filter((one) => one.method === verb && patternOf(one.path).test(pathname));
  return matching.find(({ path }) => path === pathname) ?? matching[0] ?? null;
}

/** `~` and `/` escaped (RFC 6901), then as a URI fragment. */
export function token(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** What a `$ref` of the contract points to. */
export function resolved<T>(node: T | { $ref: string }, document: Schema = contract): T {
  if (typeof node !== "object" || node === null || !("$ref" in node)) return node;
  const names = node.$ref.slice(2).split("/");
  return names.reduce<unknown>((at, name) => (at as Schema)[name.replaceAll("~1", "/").replaceAll("~0", "~")], document) as T;
}

function operationOf(document: Schema, path: string, verb: string): Operation {
  const item = (document.paths as Record<string, Record<string, Schema>>)[path] ?? {};
  const node = item[verb] as Schema;
  const named = (node.security ?? document.security ?? []) as Record<string, string[]>[];
  const security = named.filter((schemes) => !("ApiKey" in schemes || "Ticket" in schemes)); // they stand beside a Credential, with the same scopes
  const parameters = [item.parameters, node.parameters].flatMap((some) => (some ?? []) as Parameter[]);
  return {
    id: String(node.operationId),
    method: verb.toUpperCase(),
    path,
    parameters: parameters.map((parameter) => resolved(parameter, document)),
    requestBody: node.requestBody ? resolved(node.requestBody as NonNullable<Operation["requestBody"]>, document) : null,
    responses: responsesOf(document, reachable(node.responses as Responses), `#/paths/${token(path)}/${verb}/responses`),
    scopes: security.find(({ Credential }) => Credential)?.Credential ?? null,
    overlayKey: security.some((schemes) => "OverlayKey" in schemes),
    security,
    deprecation: (node["x-deprecation"] ?? null) as Operation["deprecation"],
    maxBodyBytes: (node["x-max-body-bytes"] ?? null) as number | null,
    isTool: "x-mcp-tool" in node,
    pointer: `#/paths/${token(path)}/${verb}`,
  };
}

/** Without that answer, which every operation names, and none of them gives. */
function reachable(responses: Responses): Responses {
  return Object.fromEntries(Object.entries(responses).filter(([, part]) => !("$ref" in part && part.$ref === unknownPath.$ref)));
}

function responsesOf(document: Schema, responses: Responses, at: string): Record<string, Response> {
  const placed = <Part extends object>(part: Shared<Part>, pointer: string): Part & { pointer: string } => ({
    ...resolved(part as Part, document),
    pointer: "$ref" in part ? part.$ref : pointer,
  });
  return Object.fromEntries(
    Object.entries(responses).map(([status, part]) => {
      const response = placed(part, `${at}/${status}`);
      const headers = Object.entries(response.headers ?? {}).map(([name, header]) => [
        name,
        placed(header, `${response.pointer}/headers/${token(name)}`),
      ]);
      return [status, { ...response, headers: Object.fromEntries(headers) }];
    }),
  );
}

const patterns = new Map<string, RegExp>();

/** What matches a path template. Each is made once, because every answer is compared with all of them. */
function patternOf(path: string): RegExp {
  const known = patterns.get(path);
  if (known) return known;
  const made = new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]*\}/g, "[^/]+")}$`);
  patterns.set(path, made);
  return made;
}

// Validates answers with the schemas of the contract.

/** Faults of `value` against the schema at `pointer` of the contract, in words; none when it is valid. */
type Validator = (pointer: string, value: unknown) => string[];

/** As published: what a caller may lean on. */
export const published: Validator = validator(() => contract);

/** With every object closed: what an answer may hold, and not one member more. */
export const sealed: Validator = validator(() => seal(structuredClone(contract)));

/** Reads the document when the first value is validated: that takes 0.2 s, and most processes of a run validate none. */
function validator(read: () => Schema): Validator {
  let ajv: Ajv2020 | undefined;
  // By what a schema says: of three that stand in the contract, two say what another one says.
  const compiled = new Map<string, ValidateFunction>();
  const validatorOf = (pointer: string): ValidateFunction => {
    ajv ??= ajvOf(read());
    const text = JSON.stringify(schemaAt(pointer));
    const validate = compiled.get(text) ?? ajv.compile({ $ref: `contract${pointer}` });
    compiled.set(text, validate);
    return validate;
  };
  const byPointer = new Map<string, ValidateFunction>();
  const errorsOf = (pointer: string, value: unknown): ErrorObject[] => {
    const validate = byPointer.get(pointer) ?? validatorOf(pointer);
    byPointer.set(pointer, validate);
    return validate(value) ? [] : [...(validate.errors ?? [])];
  };
  return (pointer, value) => {
    const errors = errorsOf(pointer, value);
    if (errors.length === 0) return [];
    const ofKind = alternativesOf(pointer)
      .map((alternative) => errorsOf(alternative, value))
      .find((found) => !found.some(({ instancePath }) => instancePath === "/event" || instancePath === "/type"));
    return (ofKind ?? errors).map(inWords);
  };
}

/** Pointers are in the form of URI fragments. */
function schemaAt(pointer: string): unknown {
  const names = pointer.split("/").slice(1);
  const nameOf = (part: string): string => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
  return names.reduce<unknown>((node, part) => (node as Record<string, unknown> | undefined)?.[nameOf(part)], contract);
}

/** The schemas of which the value must fit one, as events must: their member `event` or `type` tells which. */
function alternativesOf(pointer: string): string[] {
  const [, name = ""] = /^#\/components\/schemas\/(\w+)$/.exec(pointer) ?? [];
  const { schemas } = contract.components as { schemas: Record<string, { anyOf?: { $ref?: string }[] }> };
  return (schemas[name]?.anyOf ?? []).flatMap(({ $ref }) => $ref ?? []);
}

function inWords({ instancePath, keyword, message, params }: ErrorObject): string {
  const place = instancePath || "the whole";
  if (keyword === "additionalProperties") return `${place} has the member ${params.additionalProperty}, which the contract does not name`;
  return `${place} ${message} ${JSON.stringify(params)}`;
}

/**
 * `format` stays an annotation: the contract's patterns decide. `make check` looks whether its schemas are valid, and V8 optimizes as well:
 * without both compiling takes half as long.
 */
function ajvOf(document: Schema): Ajv2020 {
  const ajv = new Ajv2020({
    strict: true,
    allErrors: true,
    validateFormats: false,
    validateSchema: false,
    meta: false,
    code: { optimize: false },
    keywords: ["example", "x-donator-text", "x-validated-per-item", ...Object.keys(document)],
  });
  return ajv.addSchema(document, "contract");
}

function seal<T>(node: T): T {
  if (typeof node !== "object" || node === null) return node;
  const schema = node as Schema;
  if (schema.type === "object" && schema.properties) schema.additionalProperties ??= false;
  Object.values(schema).forEach(seal);
  return node;
}
