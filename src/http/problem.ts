// RFC 9457 problems: the contract decides the status and title of every code.

import type { Schemas } from "./operations.ts";
import { mostItems, problemTable } from "./published.ts";

type ProblemSchemas = { [Name in keyof Schemas as Name extends `${string}Problem` ? Name : never]: Schemas[Name] };
type AnyProblem = ProblemSchemas[keyof ProblemSchemas];

export type ProblemCode = AnyProblem["code"];
export type Fault = Schemas["Fault"];

type StatusOf<Code> = {
  [Name in keyof ProblemSchemas]: Code extends ProblemSchemas[Name]["code"] ? ProblemSchemas[Name]["status"] : never;
}[keyof ProblemSchemas];

/** What the server answers whatever the operation: faults of the request, credentials, limits, its own failures. */
type CommonStatus = 400 | 401 | 403 | 405 | 408 | 413 | 415 | 429 | 431 | 500 | 503;
type RoutingCode = Schemas["RoutingErrorProblem"]["code"];

/** Codes that only the contract of some operations names, such as `donation_not_found`. */
export type OwnCode = {
  [Code in ProblemCode]: Code extends RoutingCode ? never : StatusOf<Code> extends CommonStatus ? never : Code;
}[ProblemCode];

export type CommonCode = Exclude<ProblemCode, OwnCode>;

/** What a problem can say besides its code. */
export type ProblemExtras = {
  errors?: Fault[];
  requiredScopes?: readonly Schemas["Scope"][];
  headers?: Record<string, string>;
  cause?: unknown;
};

/**
 * A failure with a public face. `detail` reaches the caller; `cause` only the log. Anything may throw one with a code that every
 * operation's contract names. A code of an operation's own is no argument here: its handler returns a `refusal`, typed by the contract.
 */
export class Problem extends Error {
  readonly code: ProblemCode;
  readonly extras: ProblemExtras;

  constructor(code: CommonCode, detail: string, extras: ProblemExtras = {}) {
    super(detail, { cause: extras.cause });
    this.name = "Problem";
    this.code = code;
    this.extras = extras;
  }
}

/** What a handler answers instead of a success. */
export type Refusal<Code extends OwnCode = OwnCode> = Readonly<{ refused: Code; detail: string; headers?: Record<string, string> }>;

export function refusal<Code extends OwnCode>(refused: Code, detail: string, headers?: Record<string, string>): Refusal<Code> {
  return { refused, detail, ...(headers && { headers }) };
}

/** The handler's success. Throws its refusal as a problem. */
export function succeeded<Reply extends object>(reply: Reply | Refusal): Exclude<Reply, Refusal> {
  if ("refused" in reply) throw problemOf(reply as Refusal);
  return reply as Exclude<Reply, Refusal>;
}

export function problemOf({ refused, detail, headers }: Refusal): Problem {
  return anyProblem(refused, detail, { headers });
}

/** The same problem with more headers. */
export function withHeaders({ code, message, extras }: Problem, headers: Record<string, string>): Problem {
  return anyProblem(code, message, { ...extras, headers: { ...extras.headers, ...headers } });
}

/** Only here: the code comes from a refusal or a problem, both of which were checked where they were made. */
function anyProblem(code: ProblemCode, detail: string, extras: ProblemExtras): Problem {
  return new Problem(code as CommonCode, detail, extras);
}

/** Status and title of every code. The compiler of the contract has seen that each has both, and that the status fits (spec/lib/). */
export const problems = problemTable as Readonly<Record<ProblemCode, { status: number; title: string }>>;

/** Faults that a problem names. */
export const maxFaults = mostItems("InvalidRequestProblem", "errors");

/** The members of a problem body. `instance` is the path asked for. */
export function problemBody(problem: Problem, instance: string, requestId: string): Record<string, unknown> {
  const { status, title } = problems[problem.code];
  const { errors, requiredScopes } = problem.extras;
  return {
    type: `/docs/errors#${problem.code}`,
    title,
    status,
    detail: problem.message,
    instance,
    code: problem.code,
    requestId,
    ...(requiredScopes && { requiredScopes }),
    ...(errors && { errors: errors.slice(0, maxFaults) }),
    ...(errors && errors.length > maxFaults && { errorsTruncated: true }),
  };
}
