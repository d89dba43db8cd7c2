import document from "../../generated/openapi.json" with { type: "json" };

// The published contract as the suite walks it. Types name only what the suite reads.

export type Schema = { [keyword: string]: unknown };
export type Parameter = { name: string; in: "query" | "path" | "header"; required?: boolean; schema: Schema };
export type Header = { required?: boolean; schema: Schema };
export type Media = { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> };
export type Response = { headers?: Record<string, Header>; content?: Record<string, Media> };

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
  /** JSON pointer of the operation in the contract. */
  pointer: string;
};

export const contract: Schema = document;

const verbs = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

export const operations: Operation[] = Object.entries(contract.paths as Record<string, Record<string, Schema>>).flatMap(([path, item]) =>
  verbs.filter((verb) => item[verb]).map((verb) => operationOf(path, verb, item[verb] as Schema)),
);

/** Operations of the versioned API: its conventions, such as problems and sealed bodies, are not those of OAuth. */
export const apiOperations: Operation[] = operations.filter(({ path }) => path.startsWith("/api/v1/"));

/** Every scope that there is. */
export const scopes = (contract.components as { schemas: { Scope: { enum: string[] } } }).schemas.Scope.enum;

/** The paths of the versioned API, each with its methods. */
export const pathMethods: Map<string, string[]> = apiOperations.reduce(
  (paths, { path, method }) => paths.set(path, [...(paths.get(path) ?? []), method]),
  new Map<string, string[]>(),
);

/** Its path, parameters filled in: those in the path by an id, required ones of the query by their examples. */
export function filledPath({ path, parameters }: Pick<Operation, "path" | "parameters">): string {
  const required = parameters.filter((parameter) => parameter.in === "query" && parameter.required);
  const query = required.map(({ name, schema }) => `${name}=${encodeURIComponent(String((resolved(schema).examples as string[])[0]))}`);
  const inPath = path.replace(/\{[^}]*\}/g, "01932f6e-8a00-7000-8000-3f1e5a7c9b21");
  return query.length > 0 ? `${inPath}?${query.join("&")}` : inPath;
}

export function operation(id: string): Operation {
  const found = operations.find((one) => one.id === id);
  if (!found) throw new Error(`generated/openapi.json has no operation ${id}`);
  return found;
}

/** The operation that answers this request; HEAD is answered by GET. A literal path wins over one with parameters. */
export function operationAt(method: string, pathname: string): Operation | null {
  const verb = method === "HEAD" ? "GET" : method;
  const matching = operations.filter((one) => one.method === verb && pattern(one.path).test(pathname));
  return matching.find(({ path }) => path === pathname) ?? matching[0] ?? null;
}

/** `~` and `/` escaped (RFC 6901), then as a URI fragment. */
export function token(name: string): string {
  return encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"));
}

/** What a `$ref` of the contract points to. */
export function resolved<T>(node: T | { $ref: string }): T {
  if (typeof node !== "object" || node === null || !("$ref" in node)) return node as T;
  const names = node.$ref.slice(2).split("/");
  return names.reduce<unknown>((at, name) => (at as Schema)[name.replaceAll("~1", "/").replaceAll("~0", "~")], contract) as T;
}

function operationOf(path: string, verb: string, node: Schema): Operation {
  const security = (node.security ?? contract.security ?? []) as Record<string, string[]>[];
  return {
    id: String(node.operationId),
    method: verb.toUpperCase(),
    path,
    parameters: ((node.parameters ?? []) as Parameter[]).map(resolved),
    requestBody: (node.requestBody as Operation["requestBody"]) ?? null,
    responses: node.responses as Record<string, Response>,
    scopes: security.find(({ Credential }) => Credential)?.Credential ?? null,
    overlayKey: security.some((schemes) => "OverlayKey" in schemes),
    pointer: `#/paths/${token(path)}/${verb}`,
  };
}

const pattern = (path: string): RegExp => new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, "\\$&").replace(/\{[^}]*\}/g, "[^/]+")}$`);
