// Handles one request step by step, in the order of checks that the contract promises. Handlers do not know Koa.

import { Readable } from "node:stream";
import type { Context, Middleware } from "koa";
import { mediaType, type Pairs, type ReadBody, type ReadFile, type ReadPairs } from "./body/body.ts";
import { isBodyLines, linesType, readBodyLines } from "./body/json.ts";
import type { Contract } from "./contract/contract.ts";
import { bodyFaults, parameterFaults } from "./contract/faults.ts";
import type { Operation } from "./contract/operation.ts";
import { decodeSegment, readOAuthParameters, readQuery, repeatedParameter, unstatedFaults, type Values } from "./contract/parameters.ts";
import {
  type Authenticator,
  actFor,
  authenticate,
  bucketOf,
  type CountPoints,
  callerOf,
  hasScopes,
  insufficientScope,
  spendingOf,
} from "./guards.ts";
import { denyCrossOriginReads, sendJson, setHeaders } from "./middleware.ts";
import type { Handlers, JsonReply, OperationId, OperationReply, OperationRequest, Principal, TransportHeaders } from "./operations.ts";
import { type Fault, methodNotAllowed, Problem, type Refusal, succeeded, validationFailed } from "./problem.ts";
import type { Limits } from "./rate-limits/rate-limits.ts";

/** What decides who may call, and how often. */
type Guards = Readonly<{
  authenticator: Authenticator;
  /** The same for operations that take an overlay key. */
  overlayAuthenticator: Authenticator;
  /** The header Authorization that a ticket stands for, once. Throws Problems. */
  redeemTicket: (ticket: string, address: string) => Promise<string>;
  limits: Limits;
  countPoints: CountPoints;
}>;

export type BodyReaders = Readonly<{
  readBody: ReadBody;
  /** The same for operations with a larger body. */
  readLargeBody: ReadBody;
  readPairs: ReadPairs;
  readFile: ReadFile;
}>;

type AnyHandler = (
  request: OperationRequest<OperationId>,
  principal: Principal,
) => Promise<OperationReply<OperationId> | JsonReply<OperationId> | Refusal>;

type AnyReply = {
  status: number;
  headers?: object;
  transport?: TransportHeaders;
  type?: string;
  body?: object | string;
  json?: Buffer | string;
};

type Served = Readonly<{ contract: Contract; handlers: Handlers }>;

/** Serves every operation of the contract. */
export function serveContract({ contract, handlers }: Served, guards: Guards, readers: BodyReaders): Middleware {
  const readIt = async (operation: Operation, ctx: Context, principal: Principal) => {
    const { oauth, bodyTypes, maxBodyBytes, takesFile } = operation;
    const { readPairs, readBody, readLargeBody, readFile } = readers;
    if (bodyTypes.length === 0) return undefined;
    if (takesFile) return readFile(ctx, operation, principal);
    if (bodyTypes.includes(linesType) && mediaType(ctx, bodyTypes) === linesType) return readBodyLines(ctx.req);
    return (oauth ? readPairs : maxBodyBytes === null ? readBody : readLargeBody)(ctx, bodyTypes, principal);
  };
  return async (ctx) => {
    const operation = route(contract, ctx);
    if (!operation) return;
    const principal = await authorise(operation, ctx, guards);
    const body = await readIt(operation, ctx, principal);
    const request = operation.oauth ? validateOAuth(operation, ctx, body as Pairs | undefined) : validate(operation, ctx, body);
    const handler = handlers[operation.id] as AnyHandler;
    answer(ctx, succeeded(await actFor(operation, { ctx, principal }, () => handler(request, principal))));
  };
}

/** Finds the operation; null when the request is answered here (OPTIONS). Throws 404 and 405. */
function route(contract: Contract, ctx: Context): Operation | null {
  const match = contract.match(ctx.method, ctx.path);
  if (match.operation) {
    ctx.state.operation = match.operation;
    if (isForBrowsers(match.operation)) denyCrossOriginReads(ctx);
    if (match.operation.deprecation) setHeaders(ctx, match.operation.deprecation); // set now, so that errors have them, too
    return match.operation;
  }
  const { operation: read } = contract.match("GET", ctx.path);
  const forBrowsers = read !== null && isForBrowsers(read);
  if (forBrowsers) denyCrossOriginReads(ctx);
  const allow = match.allow.join(", ");
  if (allow === "") {
    if (wantsPage(ctx)) ctx.state.page = ctx.path; // somebody has mistyped an address: the error is shown as a page
    throw new Problem("route_not_found", `There is no ${ctx.path} here.`);
  }
  if (ctx.method !== "OPTIONS") throw methodNotAllowed(ctx.path, allow);
  ctx.status = 204;
  ctx.set("Allow", allow);
  const headers = match.allow.flatMap((method) => contract.match(method, ctx.path).operation?.headers ?? []);
  if (!forBrowsers) preflight(ctx, allow, headers);
  return null;
}

/** Longer ones are no browser's: the time to read thousands of types grows with the square of their number. */
const maxAcceptLength = 1_000;

/** Whether a browser asks for a page, outside the API: programs that accept anything get JSON. */
function wantsPage(ctx: Context): boolean {
  if (ctx.method !== "GET" || ctx.path.startsWith("/api/") || ctx.get("Accept").length > maxAcceptLength) return false;
  return ctx.accepts("json", "html") === "html";
}

/** Browsers are sent to this address; no script may read it, whatever its origin (RFC 9700 2.6). */
function isForBrowsers({ id }: Operation): boolean {
  return id === "authorize";
}

const headersOfAll = ["Authorization", "Content-Type", "X-Request-Id"];

/** Any page may call the API, because credentials are never cookies (Fetch standard, CORS preflight). `headers`: those of the contract. */
function preflight(ctx: Context, allow: string, headers: readonly string[]): void {
  ctx.set({
    "Access-Control-Allow-Methods": allow,
    "Access-Control-Allow-Headers": [...new Set([...headersOfAll, ...headers])].join(", "),
    "Access-Control-Max-Age": "86400",
  });
}

/** Checks the limit of the address, the credential, its scopes, and its limit. */
async function authorise(operation: Operation, ctx: Context, guards: Guards): Promise<Principal> {
  const { scopes, overlayKey, takesTicket, limit } = operation;
  if (scopes === null && !overlayKey) return nobody;
  if (takesTicket && !namesToken(ctx)) await useTicket(ctx, guards);
  const authenticator = overlayKey ? guards.overlayAuthenticator : guards.authenticator;
  const principal = await authenticate(ctx, authenticator, guards.limits);
  ctx.state.principal = principal; // for the log
  if (scopes && !hasScopes(principal, operation)) throw insufficientScope(scopes);
  if (limit === null) return principal;
  const spending = spendingOf(operation, principal, () => guards.countPoints(Object.fromEntries(new URLSearchParams(ctx.querystring))));
  setHeaders(ctx, await guards.limits.spend(limit, bucketOf(principal), spending));
  return principal;
}

/** A browser sends Basic credentials of a reverse proxy with each request. They are not for this server. */
function namesToken({ req }: Context): boolean {
  return /^Bearer /i.test(req.headers.authorization ?? "");
}

/** From here on the request is as if it had come with the header that its ticket stands for. */
async function useTicket(ctx: Context, { redeemTicket }: Guards): Promise<void> {
  const query = new URLSearchParams(ctx.querystring);
  const ticket = query.get("ticket");
  if (ticket === null) return;
  ctx.req.headers.authorization = await redeemTicket(ticket, ctx.ip);
  query.delete("ticket");
  ctx.querystring = query.toString();
}

const nobody: Principal = { streamerId: "", applicationId: "", scopes: [], credential: { kind: "api_key", id: "" } };

/** Validates parameters and body by the contract and fills defaults in. Throws a problem with every fault. */
function validate(operation: Operation, ctx: Context, body: unknown): OperationRequest<OperationId> {
  const { query, faults } = readQuery(ctx.querystring, operation.query);
  const given = Object.keys(query);
  const path = readPath(operation, ctx.path);
  const parameters = { query, path, header: ctx.req.headers, cookie: {} };
  faults.push(...parameterFaults(operation.checkParameters(parameters) ?? [], operation.headers));
  faults.push(...unstatedFaults(operation, query, faults));
  const wrapped = { requestBody: body };
  if (operation.bodyTypes.length > 0 && !isBodyLines(body)) faults.push(...bodyFaults(operation.checkBody(wrapped) ?? []));
  refuse(faults);
  const header = readHeaders(operation, ctx);
  return checkedRequest({ caller: callerOf(ctx), path, query, header, given, body: wrapped.requestBody });
}

/** Validates by the rules of OAuth: a flat map of strings, from the query or the body. */
function validateOAuth(operation: Operation, ctx: Context, body: Pairs = []): OperationRequest<OperationId> {
  const query = readOAuthParameters(new URLSearchParams(ctx.querystring), [...operation.query.keys()]);
  const members = readOAuthParameters(body, operation.bodyMembers);
  refuse(members.repeated.map(repeatedParameter));
  const wrapped = { requestBody: members.values };
  if (operation.bodyTypes.length > 0) refuse(bodyFaults(operation.checkBody(wrapped) ?? []));
  const sent = { text: ctx.querystring, repeated: query.repeated, method: ctx.method, headers: ctx.req.headers };
  return checkedRequest({ caller: callerOf(ctx), path: {}, query: query.values, sent, given: [], body: wrapped.requestBody });
}

/** Its type is that of the operation's contract, by which its parts were checked. */
function checkedRequest(parts: Record<string, unknown>): OperationRequest<OperationId> {
  return parts as unknown as OperationRequest<OperationId>;
}

function refuse(faults: Fault[]): void {
  if (faults.length > 0) throw validationFailed(faults);
}

function readPath(operation: Operation, path: string): Values {
  const segments = operation.readPath(path);
  for (const name in segments) segments[name] = decodeSegment(segments[name] ?? "");
  return segments;
}

function readHeaders({ headers }: Operation, ctx: Context): Record<string, unknown> {
  if (headers.length === 0) return {};
  return Object.fromEntries(headers.map((name) => [name, ctx.req.headers[name.toLowerCase()]]));
}

/** Koa destroys a stream whose client has disconnected, and ends the connection when the stream fails. */
function answer(ctx: Context, reply: OperationReply<OperationId> | JsonReply<OperationId>): void {
  const { status, headers, transport, type, body, json } = reply as AnyReply;
  ctx.status = status;
  setHeaders(ctx, headers as TransportHeaders | undefined);
  setHeaders(ctx, transport);
  if (json !== undefined) sendJson(ctx, json);
  else if (body instanceof Readable) sendStream(ctx, type ?? "application/octet-stream", body);
  else if (typeof body === "string") sendPage(ctx, body);
  else if (body !== undefined) sendJson(ctx, JSON.stringify(body));
  else sendNothing(ctx);
}

function sendStream(ctx: Context, type: string, body: Readable): void {
  ctx.type = type;
  ctx.body = body;
}

/** An empty body, for which Koa would write the name of the status. */
function sendNothing(ctx: Context): void {
  ctx.body = "";
  ctx.remove("Content-Type");
}

function sendPage(ctx: Context, body: string): void {
  ctx.type = "text/html";
  ctx.body = body;
}
