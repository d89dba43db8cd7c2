// Finds the operation of a request. openapi-backend's own router filters all operations and compiles an expression for each, on every request;
// here paths without parameters are looked up, and the others are compared segment by segment. match-operation.test.ts compares both.

export type Routed = Readonly<{
  method: string;
  /** A template, such as `/api/v1/donations/{donationId}`. */
  path: string;
}>;

export type Match<Operation> = { operation: Operation } | { operation: null; allow: string[] };

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
  const byTemplate = (method: string, path: string) => {
    const segments = path.split("/");
    return templates.filter(({ operation, parts }) => operation.method === method && fits(parts, segments)).sort(mostLiteralFirst)[0]
      ?.operation;
  };
  return (method, path) => {
    const wanted = method === "HEAD" ? "GET" : method;
    const operation = exactPaths.has(path) ? exact.get(keyOf(wanted, path)) : byTemplate(wanted, path);
    return operation ? { operation } : { operation: null, allow: allowed(operations, path) };
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

/** Methods that some operation of this path has. */
function allowed(operations: readonly Routed[], path: string): string[] {
  const exact = operations.filter((operation) => operation.path === path);
  const fitting = exact.length > 0 ? exact : operations.filter((operation) => fits(operation.path.split("/"), path.split("/")));
  const methods = fitting.flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return methods.length > 0 ? [...methods, "OPTIONS"] : [];
}

function fits(parts: readonly string[], segments: readonly string[]): boolean {
  return parts.length === segments.length && parts.every((part, i) => part === segments[i] || (part.startsWith("{") && segments[i] !== ""));
}
