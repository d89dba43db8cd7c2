// The errors that are sent to clients: problems (RFC 9457), whose status and title the contract decides for every code, and the errors of the
// OAuth endpoints (RFC 6749 5.2).

import type { components } from "../../generated/api.d.ts";
import { maxItemsOf, problemTable } from "./contract/published.ts";

type Schemas = components["schemas"];

type ProblemSchemas = { [Name in keyof Schemas as Name extends `${string}Problem` ? Name : never]: Schemas[Name] };
type AnyProblem = ProblemSchemas[keyof ProblemSchemas];

/** `upgrade_required` is of WebSockets, which are no operations, so that no schema has it. */
export type ProblemCode = AnyProblem["code"] | "upgrade_required";
export type Fault = Schemas["Fault"];

type StatusOf<Code> = {
  [Name in keyof ProblemSchemas]: Code extends ProblemSchemas[Name]["code"] ? ProblemSchemas[Name]["status"] : never;
}[keyof ProblemSchemas];

/** Codes that every operation can answer: faults of the request, credentials, limits, failures of the server. */
type CommonStatus = 400 | 401 | 403 | 405 | 408 | 413 | 415 | 429 | 431 | 500 | 503;
type RoutingCode = Schemas["RouteNotFoundProblem"]["code"];

/** Codes that only the contract of some operations names, such as `donation_not_found`. */
export type OwnCode = {
  [Code in ProblemCode]: Code extends RoutingCode ? never : StatusOf<Code> extends CommonStatus ? never : Code;
}[ProblemCode];

export type CommonCode = Exclude<ProblemCode, OwnCode>;

/** The optional parts of a problem. */
type ProblemExtras = {
  errors?: Fault[];
  requiredScopes?: readonly Schemas["Scope"][];
  headers?: Record<string, string>;
  cause?: unknown;
};

/**
 * A failure that is sent to the client: `detail` is public, `cause` is only logged. Any code may throw one with a code that every operation has.
 * A code of one operation cannot be passed here: its handler returns a `refusal`, typed by the contract.
 */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly extras: ProblemExtras;

  constructor(code: CommonCode, detail: string, extras: ProblemExtras = {}) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0; // nobody reads where a client was refused, and to note it takes longer than to find the fault
    super(detail, { cause: extras.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = "Problem";
    this.code = code;
    this.extras = extras;
  }
}

/** The problem of a request that breaks rules of the contract. Its answer names the first `maxFaults`. */
export function validationFailed(errors: Fault[]): Problem {
  return new Problem("validation_failed", faultSummary(errors.length), { errors });
}

function faultSummary(count: number): string {
  if (count > maxFaults) return `More than ${maxFaults} rules are broken; errors names ${maxFaults} of them.`;
  return count === 1 ? "One rule is broken; errors names it." : `${count} rules are broken; errors names them.`;
}

/** A failure of the server, whose reason the client is not told. */
export function internalError(cause?: unknown): Problem {
  return new Problem("internal_error", "Something went wrong on our side.", { cause });
}

/** The database's error of a lock that others held too long, in words: what needed it was undone. */
export function locked(): Problem {
  return new Problem("unavailable", "Other requests or tasks keep locked what this one needs; repeat it in a moment.");
}

/** `allow`: the methods of the path, as in the header Allow. */
export function methodNotAllowed(path: string, allow: string): Problem {
  return new Problem("method_not_allowed", `${path} takes ${allow}.`, { headers: { Allow: allow } });
}

export function rateLimited(detail: string, retryAfterSeconds: number): Problem {
  return new Problem("rate_limited", detail, { headers: { "Retry-After": String(retryAfterSeconds) } });
}

/** The answer of a handler that refuses the request. */
export type Refusal<Code extends OwnCode = OwnCode> = Readonly<{ refused: Code; detail: string; headers?: Record<string, string> }>;

export function refusal<Code extends OwnCode>(refused: Code, detail: string, headers?: Record<string, string>): Refusal<Code> {
  return { refused, detail, ...(headers && { headers }) };
}

/** Returns the success of a handler. Throws its refusal as a problem. */
export function succeeded<Reply extends object>(reply: Reply | Refusal): Exclude<Reply, Refusal> {
  if ("refused" in reply) throw problemOf(reply);
  return reply as Exclude<Reply, Refusal>;
}

export function problemOf({ refused, detail, headers }: Refusal): Problem {
  return anyProblem(refused, detail, { headers });
}

/** The same problem with more headers. */
export function withHeaders({ code, message, extras }: Problem, headers: Record<string, string>): Problem {
  return anyProblem(code, message, { ...extras, headers: { ...extras.headers, ...headers } });
}

/** The cast is safe: the code comes from a refusal or a problem, whose types were checked where they were created. */
function anyProblem(code: ProblemCode, detail: string, extras: ProblemExtras): Problem {
  return new Problem(code as CommonCode, detail, extras);
}

/** Status and title of every code. The compiler of the contract checks that each has both, and that the status fits (spec/lib/). */
export const problems = problemTable as Readonly<Record<ProblemCode, { status: number; title: string }>>;

/** A problem names at most this many faults. */
export const maxFaults = maxItemsOf("InvalidRequestProblem", "errors");

let explanations = "/docs/errors";

/** Called once, before anything is answered: the explanation of a problem is a page of this server. */
export function setProblemAddress(baseUrl: string): void {
  explanations = `${baseUrl}/docs/errors`;
}

/** The `type` of a problem (RFC 9457 3.1.1): the address of its explanation. */
export function typeOf(code: ProblemCode): string {
  return `${explanations}#${code}`;
}

/** The members of the body of a problem. `instance`: the path of the request. */
export function problemBody(problem: Problem, instance: string, requestId: string): Record<string, unknown> {
  const { status, title } = problems[problem.code];
  const { errors, requiredScopes } = problem.extras;
  return {
    type: typeOf(problem.code),
    title,
    status,
    detail: problem.message,
    instance,
    code: problem.code,
    requestId,
    ...(requiredScopes && { requiredScopes }),
    ...namedFaults(errors),
  };
}

/** The members of a body that name its faults: the first ones, and whether there are more. */
export function namedFaults(errors: readonly Fault[] | undefined) {
  if (!errors) return {};
  return { errors: errors.slice(0, maxFaults), ...(errors.length > maxFaults && { errorsTruncated: true as const }) };
}

export type OAuthCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "invalid_scope"
  | "invalid_target"
  | "invalid_redirect_uri"
  | "invalid_client_metadata"
  | "server_error"
  | "temporarily_unavailable";

/** An error of an OAuth endpoint. `description` is sent to the client, so it is ASCII (RFC 6749 5.2). */
export class OAuthError extends Error {
  readonly code: OAuthCode;
  readonly status: number;
  readonly headers: Record<string, string>;

  constructor(
    code: OAuthCode,
    description: string,
    { status = 400, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
  ) {
    super(description);
    this.name = "OAuthError";
    this.code = code;
    this.status = status;
    this.headers = headers;
  }
}

/** RFC 6749 5.2: always 401 with a challenge, whatever way of authentication the client used. */
export function invalidClient(): OAuthError {
  return new OAuthError("invalid_client", "The client is unknown or its secret is wrong.", {
    status: 401,
    headers: { "WWW-Authenticate": 'Basic realm="oauth", charset="UTF-8"' },
  });
}

/** Converts a Problem of the router into an error of OAuth. */
export function asOAuthError(problem: Problem): OAuthError {
  const [code, status] = translations[problem.code] ?? ["invalid_request", 400];
  const faults = problem.extras.errors?.map(({ parameter, pointer, message }) => `${parameter ?? pointer?.slice(1)} ${message}`);
  const headers = { ...(status === 503 && { "Retry-After": "1" }), ...problem.extras.headers };
  return new OAuthError(code, faults?.join("; ") ?? problem.message, { status, headers });
}

const translations: Partial<Record<ProblemCode, [OAuthCode, number]>> = {
  payload_too_large: ["invalid_request", 413],
  unsupported_media_type: ["invalid_request", 415],
  rate_limited: ["temporarily_unavailable", 429],
  internal_error: ["server_error", 500],
  unavailable: ["temporarily_unavailable", 503],
};
