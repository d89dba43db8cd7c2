// One request, step by step, in the order of checks that the contract promises. Koa appears here and nowhere behind it.

import { Readable } from "node:stream";
import type { Context, Middleware } from "koa";
import { readJson } from "./body.ts";
import type { Contract, Operation } from "./contract.ts";
import { bodyFaults, parameterFaults } from "./faults.ts";
import type { Handlers, OperationId, OperationReply, OperationRequest, Principal } from "./operations.ts";
import { decodeSegment, readQuery, type Values } from "./parameters.ts";
import { Problem } from "./problem.ts";

/** Who asks. Throws a 401 Problem. */
export type Authenticate = (authorization: string | undefined) => Promise<Principal>;

export type RouterParts = { contract: Contract; handlers: Handlers; authenticate: Authenticate };

type AnyHandler = (request: OperationRequest<OperationId>, principal: Principal) => Promise<OperationReply<OperationId>>;

/** Serves every operation of the contract. */
export function serveContract({ contract, handlers, authenticate }: RouterParts): Middleware {
  return async (ctx) => {
    const operation = route(contract, ctx);
    if (!operation) return;
    const principal = await authorise(operation, ctx, authenticate);
    const body = operation.hasBody ? await readJson(ctx) : undefined;
    const request = validate(operation, ctx, body);
    const handler = handlers[operation.id] as AnyHandler;
    answer(ctx, await handler(request, principal));
  };
}

/** The operation asked for; null when the request was answered here (OPTIONS). Throws 404 and 405. */
function route(contract: Contract, ctx: Context): Operation | null {
  const match = contract.match(ctx.method, ctx.path);
  if (match.operation) {
    ctx.state.operation = match.operation;
    return match.operation;
  }
  const allow = match.allow.join(", ");
  if (allow === "") throw new Problem("route_not_found", `There is no ${ctx.path} here.`);
  if (ctx.method !== "OPTIONS") throw new Problem("method_not_allowed", `${ctx.path} takes ${allow}.`, { headers: { Allow: allow } });
  preflight(ctx, allow);
  return null;
}

/** Any page may call the API: credentials are never cookies (Fetch standard, CORS preflight). */
function preflight(ctx: Context, allow: string): void {
  ctx.status = 204;
  ctx.set({
    Allow: allow,
    "Access-Control-Allow-Methods": allow,
    "Access-Control-Allow-Headers": "Authorization, Content-Type, X-Request-Id",
    "Access-Control-Max-Age": "86400",
  });
}

async function authorise({ scopes }: Operation, ctx: Context, authenticate: Authenticate): Promise<Principal> {
  if (scopes === null) return nobody;
  const principal = await authenticate(ctx.req.headers.authorization);
  if (scopes.every((scope) => principal.scopes.includes(scope))) return principal;
  throw new Problem("insufficient_scope", `This needs the scope ${scopes.join(" ")}.`, {
    requiredScopes: scopes,
    headers: { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${scopes.join(" ")}"` },
  });
}

const nobody: Principal = { streamerId: "", applicationId: "", scopes: [], credential: { kind: "api_key", id: "" } };

/** Checks parameters and body against the contract and fills defaults in. Throws with every fault there is. */
function validate(operation: Operation, ctx: Context, body: unknown): OperationRequest<OperationId> {
  const { query, faults } = readQuery(ctx.querystring, operation.query);
  const given = Object.keys(query);
  const path = readPath(operation, ctx.path);
  const parameters = { query, path, header: ctx.req.headers, cookie: {} };
  faults.push(...parameterFaults(operation.checkParameters(parameters) ?? []));
  const wrapped = { requestBody: body };
  if (operation.hasBody) faults.push(...bodyFaults(operation.checkBody(wrapped) ?? []));
  if (faults.length > 0) throw new Problem("validation_failed", summary(faults.length), { errors: faults });
  const header = Object.fromEntries(operation.headers.map((name) => [name, ctx.req.headers[name.toLowerCase()]]));
  return { path, query, header, given, body: wrapped.requestBody } as unknown as OperationRequest<OperationId>;
}

function readPath(operation: Operation, path: string): Values {
  const segments = operation.readPath(path);
  for (const name in segments) segments[name] = decodeSegment(segments[name] ?? "");
  return segments;
}

function summary(count: number): string {
  return count === 1 ? "One rule is broken; errors names it." : `${count} rules are broken; errors names them.`;
}

/** Koa destroys a stream whose reader has gone, and cuts the answer off when the stream fails. */
function answer(ctx: Context, { status, headers, type, body }: OperationReply<OperationId>): void {
  ctx.status = status;
  if (headers) ctx.set(headers as Record<string, string>);
  ctx.type = type ?? "application/json";
  ctx.body = body instanceof Readable ? body : JSON.stringify(body);
}
