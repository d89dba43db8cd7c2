// What @typespec/openapi3 1.16 leaves out of the document. Pure, but for the document that it is given.

export type Schema = { [keyword: string]: unknown };
export type Media = { schema?: Schema; example?: unknown; examples?: unknown };
export type Operation = {
  operationId: string;
  parameters?: { in?: string; explode?: boolean; schema?: Schema }[];
  requestBody?: object;
  responses: Record<string, { content?: Record<string, Media> }>;
  security?: Record<string, string[]>[];
};
type SecurityScheme = { flows?: Record<string, { scopes: Record<string, string> }> };
type Components = {
  schemas: Record<string, Schema>;
  parameters?: Record<string, NonNullable<Operation["parameters"]>[number]>;
  securitySchemes: Record<string, SecurityScheme>;
};
export type Problem = Readonly<{ status: number; title: string; detail: string }>;
export type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: Components;
  "x-scopes": Record<string, string>;
  "x-problems": Record<string, Problem>;
};

export function completed(document: Document): Document {
  sortParts(document);
  describeScopes(document);
  dropIdleExplode(document);
  return document;
}

/** Every operation with its path. */
export function operationsOf({ paths }: Document): { path: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) => Object.values(methods).map((operation) => ({ path, operation })));
}

/** As the emitter sorts what it writes itself: a moved declaration then changes nothing. */
function sortParts(document: Document): void {
  const { components } = document;
  document.paths = sorted(document.paths);
  components.schemas = sorted(components.schemas);
  if (components.parameters) components.parameters = sorted(components.parameters);
}

function sorted<Value>(map: Record<string, Value>): Record<string, Value> {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** TypeSpec's OAuth2 flows name scopes without saying what they allow. */
function describeScopes({ components, ...document }: Document): void {
  const flows = Object.values(components.securitySchemes).flatMap((scheme) => Object.values(scheme.flows ?? {}));
  for (const { scopes } of flows) for (const scope of Object.keys(scopes)) scopes[scope] = document["x-scopes"][scope] ?? "";
}

/**
 * TypeSpec writes `explode: false` at every query parameter that does not say otherwise. It means something for lists only, and
 * openapi-backend splits the value of any other parameter at its commas because of it.
 */
function dropIdleExplode(document: Document): void {
  const own = operationsOf(document).flatMap(({ operation }) => operation.parameters ?? []);
  for (const parameter of [...own, ...Object.values(document.components.parameters ?? {})])
    if (parameter.explode === false && !isList(parameter.schema, document)) delete parameter.explode;
}

function isList(schema: Schema | undefined, document: Document): boolean {
  return resolved(schema ?? {}, document).type === "array";
}

/** What a reference points to, with the keywords beside it on top. */
export function resolved(schema: Schema, document: Document): Schema {
  const { $ref, ...beside } = schema;
  if (typeof $ref !== "string") return schema;
  const name = $ref.replace("#/components/schemas/", "");
  return { ...resolved(document.components.schemas[name] ?? {}, document), ...beside };
}
