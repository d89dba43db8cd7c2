// Adds to the OpenAPI document what @typespec/openapi3 1.16 leaves out.

export type Schema = { [keyword: string]: unknown };
export type Media = { schema?: Schema; example?: unknown; examples?: unknown };
export type Response = { headers?: Record<string, object>; content?: Record<string, Media> };
export type Operation = {
  operationId: string;
  parameters?: { name?: string; in?: string; explode?: boolean; schema?: Schema; example?: unknown }[];
  requestBody?: { content?: Record<string, Media> };
  /** The schema of each line of a body of lines. */
  "x-line-body"?: string;
  responses: Record<string, Response>;
  security?: Record<string, string[]>[];
};
type SecurityScheme = { description?: string; flows?: Record<string, { scopes: Record<string, string> }> };
type Components = {
  schemas: Record<string, Schema>;
  parameters?: Record<string, NonNullable<Operation["parameters"]>[number]>;
  securitySchemes: Record<string, SecurityScheme>;
};
type Problem = Readonly<{ status: number; title: string; detail: string }>;
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: Components;
  "x-scopes": Record<string, string>;
  "x-problems": Record<string, Problem>;
};

/** Changes the document in place and returns it. */
export function completeDocument(document: Document): Document {
  sortParts(document);
  describeScopes(document);
  dropIdleExplode(document);
  describeLines(document);
  describeFiles(document);
  dropOtherNotFound(document);
  addApiKeys(document);
  return document;
}

/** Returns every operation with its path. */
export function operationsOf({ paths }: Document): { path: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) => Object.values(methods).map((operation) => ({ path, operation })));
}

/** Sorts paths, schemas and parameters by name, so that moving a declaration does not change the document. */
function sortParts(document: Document): void {
  const { components } = document;
  document.paths = sortKeys(document.paths);
  components.schemas = sortKeys(components.schemas);
  if (components.parameters) components.parameters = sortKeys(components.parameters);
}

function sortKeys<Value>(map: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Adds descriptions of scopes to the OAuth flows: TypeSpec writes their names only. */
function describeScopes({ components, ...document }: Document): void {
  const flows = Object.values(components.securitySchemes).flatMap((scheme) => Object.values(scheme.flows ?? {}));
  for (const { scopes } of flows) for (const scope of Object.keys(scopes)) scopes[scope] = document["x-scopes"][scope] ?? "";
}

/**
 * Removes `explode: false` from parameters that are not lists. TypeSpec writes it at every query parameter, and openapi-backend then
 * splits their values at commas.
 */
function dropIdleExplode(document: Document): void {
  const own = operationsOf(document).flatMap(({ operation }) => operation.parameters ?? []);
  for (const parameter of [...own, ...Object.values(document.components.parameters ?? {})])
    if (parameter.explode === false && !isList(parameter.schema, document)) delete parameter.explode;
}

/** TypeSpec gives every media type of a request the same schema: the schema of lines is that of one line. */
function describeLines(document: Document): void {
  for (const { operation } of operationsOf(document)) {
    const media = operation.requestBody?.content?.["application/x-ndjson"];
    if (media && operation["x-line-body"]) media.schema = { $ref: `#/components/schemas/${operation["x-line-body"]}` };
  }
}

/** A file in an answer is a binary string, as in OpenAPI 3.0: programs that make clients would read it as a text, as which it is lost. */
function describeFiles(document: Document): void {
  for (const { operation } of operationsOf(document))
    for (const { content = {} } of Object.values(operation.responses))
      for (const { schema } of Object.values(content))
        if (schema && "contentMediaType" in schema) Object.assign(schema, { type: "string", format: "binary" });
}

/**
 * Names API keys beside OAuth tokens wherever one is accepted, because programs that read the document offer no key for a scheme `oauth2`.
 * An operation without a credential gets an empty list instead of an empty alternative, which some of them take for a credential.
 */
function addApiKeys(document: Document): void {
  const { securitySchemes } = document.components;
  const description = "An API key of the studio, with the scopes that are listed beside it.";
  securitySchemes.ApiKey = { type: "http", scheme: "bearer", description } as SecurityScheme;
  for (const { operation } of operationsOf(document)) {
    const { security = [] } = operation;
    if (security.length === 1 && Object.keys(security[0] as object).length === 0) operation.security = [];
    else operation.security = security.flatMap((one) => ("Credential" in one ? [one, { ApiKey: one.Credential }] : [one]));
  }
}

const routeNotFound = "#/components/schemas/RouteNotFoundProblem";

/** Every operation names route_not_found (RoutingErrors). One that has a 404 of its own answers nothing but that. */
function dropOtherNotFound(document: Document): void {
  for (const { operation } of operationsOf(document)) {
    for (const media of Object.values(operation.responses["404"]?.content ?? {})) {
      const own = ((media.schema?.anyOf ?? []) as Schema[]).filter(({ $ref }) => $ref !== routeNotFound);
      if (own.length > 0) media.schema = own.length === 1 ? own[0] : { anyOf: own };
    }
  }
}

function isList(schema: Schema | undefined, document: Document): boolean {
  return resolveReference(schema ?? {}, document).type === "array";
}

/** Resolves `$ref`; keywords beside it override those of its target. */
export function resolveReference(schema: Schema, document: Document): Schema {
  const { $ref, ...beside } = schema;
  if (typeof $ref !== "string") return schema;
  const name = $ref.replace("#/components/schemas/", "");
  return { ...resolveReference(document.components.schemas[name] ?? {}, document), ...beside };
}
