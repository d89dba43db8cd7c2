// The contract as types: the request and the possible answers of every handler, derived from generated/api.d.ts. A missing handler, a wrong
// status, a missing header or a wrong body does not compile.

import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import type { components, operations } from "../../generated/api.d.ts";
import type { BodyLines } from "./body/json.ts";
import type { OwnCode, Refusal } from "./problem.ts";

export type { operations };

export type Schemas = components["schemas"];
/** Those that this server answers: the others are of programs that receive webhooks. */
export type OperationId = Exclude<keyof operations, `receive${string}`>;
export type Scope = Schemas["Scope"];

/** The owner of a verified credential. An overlay key has no application (`""`) and no scopes. */
export type Principal = Readonly<{
  streamerId: string;
  applicationId: string;
  scopes: readonly Scope[];
  credential: Readonly<{ kind: Schemas["CredentialKind"] | "overlay_key"; id: string }>;
}>;

/** The parts of a request that identify its sender. */
export type Caller = Readonly<{
  authorization: string | undefined;
  cookie: string | undefined;
  origin: string | undefined;
  host: string | undefined;
  /** IP address of the connection. */
  address: string;
  userAgent?: string | undefined;
}>;

/** The request of a handler: validated by the contract, defaults filled in. */
export type OperationRequest<Id extends OperationId> = {
  caller: Caller;
  path: Given<Parameters<Id>["path"]>;
  query: Given<Parameters<Id>["query"]>;
  /** Names of the query parameters that were sent, as opposed to filled in. */
  given: readonly string[];
  body:
    | (operations[Id] extends { requestBody: { content: { "application/json": infer Body } } } ? Given<Body> : FileBody<Id>)
    | (operations[Id] extends { requestBody: { content: { "application/x-ndjson": unknown } } } ? BodyLines : never);
} & HeaderParameters<Parameters<Id>["header"]> &
  (Id extends "authorize" ? { sent: SentQuery } : Id extends "issueToken" ? { sent: SentHead } : unknown);

/** The bytes of a file, if the operation takes one. */
type FileBody<Id extends OperationId> = operations[Id] extends { requestBody: { content: { "application/octet-stream": unknown } } }
  ? Buffer
  : undefined;

/** A query of OAuth as it was sent. The operation decides how to answer its faults. */
export type SentQuery = Readonly<{
  /** Without the question mark. */
  text: string;
  /** Names of known parameters that it repeats. */
  repeated: readonly string[];
}>;

/** The head of a request of OAuth as it was sent. */
type SentHead = Readonly<{ method: string; headers: IncomingHttpHeaders }>;

/** The answer of a handler: a success of the contract, or a page. Failures that every operation can have are thrown as Problems. */
export type OperationReply<Id extends OperationId> = {
  [Status in Answerable<Id> & keyof Responses<Id>]: { status: Status; transport?: TransportHeaders } & HeaderPart<Responses<Id>[Status]> &
    BodyPart<Responses<Id>[Status]>;
}[Answerable<Id> & keyof Responses<Id>];

/** A success body as JSON. It is made by `jsonText` from a body of that type, or kept from an earlier answer. */
export type JsonText<Body> = Buffer & { readonly [isJsonOf]?: Body };

/** The same as a string, which nobody keeps: a connection encodes it with the head of the answer. */
export type JsonString<Body> = string & { readonly [isJsonOf]?: Body };
declare const isJsonOf: unique symbol;

/** What a handler may return instead of a body: its text, so that nobody builds the body again. */
export type JsonReply<Id extends OperationId> = {
  [Status in Answerable<Id> & keyof Responses<Id>]: Responses<Id>[Status] extends { content: { "application/json": infer Body } }
    ? { status: Status; transport?: TransportHeaders; json: JsonText<Body> | JsonString<Body> } & HeaderPart<Responses<Id>[Status]>
    : never;
}[Answerable<Id> & keyof Responses<Id>];

export function jsonText<Body>(body: Body): JsonText<Body> {
  return Buffer.from(JSON.stringify(body));
}

export function jsonString<Body>(body: Body): JsonString<Body> {
  return JSON.stringify(body);
}

/** Headers that are not in the contract: cookies and security policies of pages. */
export type TransportHeaders = Readonly<Record<string, string | readonly string[]>>;

/** The other answer of a handler: a problem that the contract names for its operation. */
type OperationRefusal<Id extends OperationId> = [OwnCodeOf<Id>] extends [never] ? never : Refusal<OwnCodeOf<Id>>;

export type Handler<Id extends OperationId> = (
  request: OperationRequest<Id>,
  principal: Principal,
) => Promise<OperationReply<Id> | JsonReply<Id> | OperationRefusal<Id>>;

/** One handler for every operation of the contract. */
export type Handlers = { [Id in OperationId]: Handler<Id> };

/** Members and parameters that have a default in the contract; the validator fills them in (operations.test.ts compares). */
export const withDefault = [
  "active",
  "amount",
  "by",
  "client",
  "cumulative",
  "currency",
  "donatorName",
  "dryRun",
  "interval",
  "keepalive",
  "language",
  "limit",
  "message",
  "plays",
  "skipAlert",
  "sort",
  "source",
  "status",
  "timezone",
  "withImported",
] as const;

type Success = 200 | 201 | 202 | 204 | 303 | 304;
type Page = { content: { "text/html": string } };
type Answerable<Id extends OperationId> = keyof {
  [Status in keyof Responses<Id> as Status extends Success ? Status : Responses<Id>[Status] extends Page ? Status : never]: true;
};
/** Codes of an operation's problems that not every operation has. */
type OwnCodeOf<Id extends OperationId> = Extract<ProblemCodeIn<Responses<Id>[keyof Responses<Id>]>, OwnCode>;
type ProblemCodeIn<Response> = Response extends { content: { "application/problem+json": { code: infer Code } } } ? Code : never;
type Parameters<Id extends OperationId> = operations[Id]["parameters"];
type Responses<Id extends OperationId> = operations[Id]["responses"];

/** Headers of the contract, by their names. */
type HeaderParameters<T> = [NonNullable<T>] extends [never] ? { header?: unknown } : { header: Given<T> };
type Given<T> = [NonNullable<T>] extends [never] ? Record<never, never> : Filled<NonNullable<T>>;
type Filled<T> = T & Required<Pick<T, Extract<keyof T, (typeof withDefault)[number]>>>;

/** Headers that the router sets on every answer, unless the contract fixes their value: the handler sets those. */
type CommonHeader = "X-Request-Id" | "Cache-Control" | "RateLimit-Policy" | "RateLimit";
type OwnHeaders<Response> = Response extends { headers: infer Headers }
  ? { [Name in keyof Headers as string extends Name ? never : IsCommon<Name, Headers[Name]> extends true ? never : Name]: Headers[Name] }
  : never;
type IsCommon<Name, Value> = Name extends CommonHeader ? (string extends Value ? true : false) : false;
/** A handler may set how long its answer can be cached. */
type Caching = { "Cache-Control"?: string };
type HeaderPart<Response> = keyof OwnHeaders<Response> extends never ? { headers?: Caching } : { headers: Caching & OwnHeaders<Response> };
type BodyPart<Response> = Response extends { content: { "application/json": infer Body } }
  ? { body: Body; type?: undefined } | LinesPart<Response>
  : Response extends Page
    ? { body: string; type?: undefined }
    : Response extends { content: infer Content extends object }
      ? { body: Readable; type: keyof Content }
      : { body?: undefined; type?: undefined };
/** The other form of an answer: a line of JSON at a time. */
type LinesPart<Response> = Response extends { content: { "application/x-ndjson": unknown } }
  ? { body: Readable; type: "application/x-ndjson" }
  : never;
