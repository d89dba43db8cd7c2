// What an authorization request asks for (RFC 6749 4.1.1, RFC 7636 4.3, RFC 8707 2.1).

import type { OperationRequest, Scope, SentQuery } from "../http/operations.ts";
import { maxAuthorizationQuery } from "../http/server-limits.ts";
import type { ClientFacts } from "./clients.ts";
import { readResource } from "./resource.ts";
import type { ReturnAddress } from "./return-address.ts";

export type AuthorizationQuery = OperationRequest<"authorize">["query"];

export type SentRequest = Readonly<{ query: AuthorizationQuery; sent: SentQuery }>;

/** A request that can be put to the streamer. It travels in the consent form, so it is JSON. */
export type AuthorizationRequest = Readonly<{
  clientId: string;
  answerTo: ReturnAddress;
  /** As it was sent; null: left out. */
  redirectUri: string | null;
  scopes: readonly Scope[];
  codeChallenge: string | null;
  /** Null: none was named. */
  resource: string | null;
}>;

export type AuthorizationErrorCode = "invalid_request" | "unsupported_response_type" | "invalid_scope" | "invalid_target" | "access_denied";

/** An error that the client is told by redirect. `description` is ASCII (RFC 6749 4.1.2.1). */
export class AuthorizationError extends Error {
  readonly code: AuthorizationErrorCode;

  constructor(code: AuthorizationErrorCode, description: string) {
    super(description);
    this.name = "AuthorizationError";
    this.code = code;
  }
}

/** What is asked for, checked in the order of the RFCs. Throws an AuthorizationError or OAuthError. */
export function readRequest({ query, sent }: SentRequest, client: ClientFacts, baseUrl: string) {
  requireOnce(sent);
  requireShort(sent);
  requireCodeFlow(query);
  return {
    scopes: readScopes(query, client),
    codeChallenge: readChallenge(query, client),
    resource: readResource(baseUrl, query.resource),
  };
}

/** RFC 6749 3.1. */
function requireOnce({ repeated: [name] }: SentQuery): void {
  if (name !== undefined) throw new AuthorizationError("invalid_request", `${name} must not be repeated`);
}

/** The query comes once more after the login, then with a cookie, and must not be refused only there. */
function requireShort({ text }: SentQuery): void {
  if (text.length > maxAuthorizationQuery)
    throw new AuthorizationError("invalid_request", `the query must have at most ${maxAuthorizationQuery} characters`);
}

function requireCodeFlow({ response_type: type }: AuthorizationQuery): void {
  if (type === undefined) throw new AuthorizationError("invalid_request", "response_type is missing");
  if (type !== "code") throw new AuthorizationError("unsupported_response_type", "response_type must be code");
}

/** All that the client registered when the request names none (RFC 6749 3.3). */
function readScopes({ scope }: AuthorizationQuery, client: ClientFacts): readonly Scope[] {
  if (scope === undefined) return client.scopes;
  const asked = scope.split(" ").filter((name) => name !== "");
  const known: readonly string[] = client.scopes;
  if (asked.length === 0 || !asked.every((name) => known.includes(name)))
    throw new AuthorizationError("invalid_scope", `scope must be some of: ${known.join(" ")}`);
  return client.scopes.filter((name) => asked.includes(name));
}

function readChallenge(query: AuthorizationQuery, client: ClientFacts): string | null {
  const { code_challenge: challenge, code_challenge_method: method } = query;
  if (challenge === undefined) {
    if (client.public) throw new AuthorizationError("invalid_request", "code_challenge is missing, and this client is public");
    // A challenge that was lost on the way must not go unnoticed.
    if (method !== undefined) throw new AuthorizationError("invalid_request", "code_challenge_method needs a code_challenge");
    return null;
  }
  if (method !== "S256") throw new AuthorizationError("invalid_request", "code_challenge_method must be S256");
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge))
    throw new AuthorizationError("invalid_request", "code_challenge must be 43 characters of base64url, a SHA-256");
  return challenge;
}
