// Checks every answer against the contract, whatever the rule is about.

import { type Header, type Operation, operation, operationAt, type Response, routeNotFound, sealed, token } from "../contract/contract.ts";
import type { Reply, Request } from "../contract/http-request.ts";
import { endAsNotRun } from "../values/running.ts";
import { target } from "../values/target.ts";

const alwaysThere = ["x-request-id", "cache-control"];

/**
 * Throws unless the contract documents this answer: status, headers, content type and body, and no member more. Ends the rule as "not run" where a
 * reverse proxy has refused the request: the server has not seen it.
 */
export function checkAnswer(request: Request, reply: Reply): void {
  const faults = [
    ...alwaysThere.filter((name) => !reply.headers[name]).map((name) => `no ${name}`),
    ...deprecationFaults(operationOf(request), reply),
    ...documented(request, reply),
    ...problemFaults(request, reply),
  ];
  if (faults.length === 0) return;
  const proxy = refusingProxy(reply);
  if (proxy !== null && target().foreign) endAsNotRun(`${proxy} in front of the server refuses the request itself (${reply.status})`);
  const actual = `${reply.status} ${reply.text.slice(0, 1000)}`;
  throw mismatch(
    `${request.method ?? "GET"} ${request.path.slice(0, 200)} was answered as the contract does not say: ${actual}\n  ${faults.join("\n  ")}`,
    { expected: `an answer that the contract documents; this one is not:\n${faults.join("\n")}`, actual },
  );
}

/** A page that names the program by which it was written: what nginx, Apache, load balancers and networks of others answer. */
const proxyPage = /<center>((?:nginx|openresty|cloudflare|awselb)[^<]{0,40})<\/center>|<address>(Apache[^<]{0,80})<\/address>/i;

/** The program that has refused the request in place of the server. Null: the answer may be the server's. */
export function refusingProxy({ status, text, headers }: Reply): string | null {
  if (status < 400 || status > 499 || headers["x-request-id"] !== undefined) return null;
  const [, named, apache] = proxyPage.exec(text) ?? [];
  return named ?? apache ?? null;
}

function operationOf({ method = "GET", path }: Request): Operation | null {
  return operationAt(method, path.split("?")[0] ?? "");
}

function documented(request: Request, reply: Reply): string[] {
  const asked = operationOf(request);
  if (!asked && reply.status < 400 && request.method === "OPTIONS") return [];
  const response = (asked?.responses ?? missed)[reply.status];
  if (!response) return [`status ${reply.status} is not documented`];
  return [...headerFaults(response, reply), ...cacheFaults(response, reply), ...bodyFaults(response, request.method === "HEAD", reply)];
}

/** What is answered where no operation is met: 405 and 431 as any operation has them. */
const { 405: unknownMethod, 431: largeHead } = operation("getMe").responses;
const missed = { 404: routeNotFound, 405: unknownMethod, 431: largeHead } as Operation["responses"];

function headerFaults({ headers = {} }: Response, reply: Reply): string[] {
  return Object.entries(headers).flatMap(([name, header]) => {
    const value = reply.headers[name.toLowerCase()];
    if (value === undefined) return header.required ? [`no header ${name}`] : [];
    return sealed(`${header.pointer}/schema`, asTyped(header, String(value))).map((fault) => `header ${name}: ${fault}`);
  });
}

const asTyped = ({ schema }: Header, value: string): unknown => (schema.type === "integer" && /^\d+$/.test(value) ? Number(value) : value);

/** The contract lists a Cache-Control for what caches may store. */
function cacheFaults({ headers = {} }: Response, reply: Reply): string[] {
  const sent = reply.headers["cache-control"];
  if (sent === undefined || headers["Cache-Control"]?.schema.enum) return [];
  return sent.includes("no-store") ? [] : [`header Cache-Control: ${sent} instead of no-store`];
}

/** What the schema of a problem does not say: its type where the request names none in Accept, and that both request ids are the same. */
function problemFaults({ method, path, headers = {} }: Request, reply: Reply): string[] {
  if (reply.status < 400 || !path.startsWith("/api/v1/")) return [];
  const namesType = Object.keys(headers).some((name) => name.toLowerCase() === "accept");
  const type = reply.headers["content-type"] ?? "none";
  const { requestId } = (reply.body ?? {}) as { requestId?: unknown };
  return [
    ...(namesType || type.startsWith("application/problem+json") ? [] : [`content type ${type} instead of application/problem+json`]),
    ...(method === "HEAD" || requestId === reply.headers["x-request-id"] ? [] : ["requestId differs from the header X-Request-Id"]),
  ];
}

function bodyFaults({ pointer, content }: Response, head: boolean, reply: Reply): string[] {
  const type = reply.headers["content-type"]?.split(";")[0]?.trim() ?? "none";
  if (!content) return reply.text === "" ? [] : ["a body where none is documented"];
  if (!content[type]) return [`content type ${type} is not documented`];
  if (head) return reply.text === "" ? [] : ["a body in answer to HEAD"];
  if (!type.endsWith("json") && type !== "text/html") return []; // a file: its rules look into it
  if (type === "application/x-ndjson") return linesFaults(`${pointer}/content/${token(type)}/schema/contentSchema`, reply.text);
  const body = type === "text/html" ? reply.text : reply.body;
  if (body === undefined) return ["the body is not JSON"];
  return sealed(`${pointer}/content/${token(type)}/schema`, body).map((fault) => `body: ${fault}`);
}

/** Every line is a JSON text that fits the schema. */
function linesFaults(schema: string, text: string): string[] {
  return text
    .split("\n")
    .slice(0, -1)
    .flatMap((line, index) => sealed(schema, JSON.parse(line)).map((fault) => `line ${index}: ${fault}`));
}

// Checks the headers of a deprecated operation.

/** Answered by the server before it looks at the path: too many connections or requests, header lines too large, a body too slow. */
const early = [408, 431, 503];

/**
 * What is wrong with the headers by which an answer says that its operation will end (RFC 9745, RFC 8594): a deprecated operation
 * sends them on every answer, and nothing else sends them at all.
 */
export function deprecationFaults(operation: Pick<Operation, "deprecation"> | null, { status, headers }: Reply): string[] {
  const { deprecation, sunset } = headers;
  const expected = operation?.deprecation;
  const isAnnounced = deprecation !== undefined || sunset !== undefined;
  if (!expected) return isAnnounced ? ["Deprecation or Sunset, and the contract does not say that this operation ends"] : [];
  if (!isAnnounced && early.includes(status)) return [];
  return [
    ...(deprecation === `@${seconds(expected.since)}` ? [] : [`Deprecation must be the day ${expected.since}, not ${deprecation}`]),
    ...(isHttpDate(sunset) && Date.parse(sunset) / 1_000 === seconds(expected.sunset)
      ? []
      : [`Sunset must be the day ${expected.sunset}, not ${sunset}`]),
  ];
}

function seconds(day: string): number {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  return Date.UTC(year, month - 1, date) / 1_000;
}

/** As RFC 9110 5.6.7 has servers write them. */
function isHttpDate(text: unknown): text is string {
  return typeof text === "string" && /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(text);
}

// An error with both sides of a comparison.

/** What was expected and what came instead, as texts of one or more lines; reports show them side by side. */
export type Comparison = { expected: string; actual: string };

/** Both sides of an assertion. Where its message says that something must not come, the expected side says so as well. */
export function comparisonIn(message: string, expected: string, actual: string): Comparison {
  const isNegated = /\bexpected .*(?: not to | to not )/s.test(message);
  return { expected: isNegated ? `anything but: ${expected}` : expected, actual };
}

/** An error that carries both sides, as assertions of vitest do. */
export const mismatch = (message: string, { expected, actual }: Comparison): Error =>
  Object.assign(new Error(message), { expected, actual });
