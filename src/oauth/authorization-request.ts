// Reads and validates an authorization request (RFC 6749 4.1.1, RFC 7636 4.3, RFC 8707 2.1).

import type { OperationRequest, Scope, SentQuery } from "../http/operations.ts";
import { maxAuthorizationQuery } from "../http/server/server-limits.ts";
import type { ClientFacts } from "./clients/clients.ts";
import type { ReturnAddress } from "./clients/redirect-uris.ts";
import { readScopes } from "./clients/requested-scopes.ts";
import { challengeMethod, readResource } from "./tokens/grants.ts";

type AuthorizationQuery = OperationRequest<"authorize">["query"];

type SentRequest = Readonly<{ query: AuthorizationQuery; sent: SentQuery }>;

/** A valid request, which the streamer can be asked to approve. The consent form carries it as JSON. */
export type AuthorizationRequest = Readonly<{
  clientId: string;
  answerTo: ReturnAddress;
  /** As the client sent it; null when it sent none. */
  redirectUri: string | null;
  scopes: readonly Scope[];
  codeChallenge: string | null;
  /** Null when the client sent none. */
  resource: string | null;
}>;

type AuthorizationErrorCode = "invalid_request" | "unsupported_response_type" | "invalid_scope" | "invalid_target" | "access_denied";

/** An error that is sent to the client by redirect. `description` is ASCII (RFC 6749 4.1.2.1). */
export class AuthorizationError extends Error {
  readonly code: AuthorizationErrorCode;

  constructor(code: AuthorizationErrorCode, description: string) {
    super(description);
    this.name = "AuthorizationError";
    this.code = code;
  }
}

/** Scopes, challenge and resource, validated in the order of the RFCs. Throws an AuthorizationError or OAuthError. */
export function readRequest({ query, sent }: SentRequest, client: ClientFacts, baseUrl: string) {
  requireUnrepeated(sent);
  requireMaxLength(sent);
  requireCodeFlow(query);
  return {
    // Clients often ask for more than they have. The answer of the token endpoint says which they get (RFC 6749 3.3).
    scopes: readScopes(query.scope, client.scopes, (rule) => new AuthorizationError("invalid_scope", rule)),
    codeChallenge: readChallenge(query, client),
    resource: readResource(baseUrl, query.resource),
  };
}

/** RFC 6749 3.1. */
function requireUnrepeated({ repeated: [name] }: SentQuery): void {
  if (name !== undefined) throw new AuthorizationError("invalid_request", `${name} must not be repeated`);
}

/** Limits the query's length: it comes once more after the login, and a query that is refused only then would be refused too late. */
function requireMaxLength({ text }: SentQuery): void {
  if (text.length > maxAuthorizationQuery)
    throw new AuthorizationError("invalid_request", `the query must have at most ${maxAuthorizationQuery} characters`);
}

function requireCodeFlow({ response_type: type }: AuthorizationQuery): void {
  if (type === undefined) throw new AuthorizationError("invalid_request", "response_type is missing");
  if (type !== "code") throw new AuthorizationError("unsupported_response_type", "response_type must be code");
}

function readChallenge(query: AuthorizationQuery, client: ClientFacts): string | null {
  const { code_challenge: challenge, code_challenge_method: method } = query;
  if (challenge === undefined) {
    if (client.public) throw new AuthorizationError("invalid_request", "code_challenge is missing, and this client is public");
    if (client.registeredBy !== null) throw new AuthorizationError("invalid_request", "code_challenge is missing (RFC 9700 2.1.1)");
    // A method without a challenge means that the challenge was lost on its way here.
    if (method !== undefined) throw new AuthorizationError("invalid_request", "code_challenge_method needs a code_challenge");
    return null;
  }
  if (method !== challengeMethod) throw new AuthorizationError("invalid_request", `code_challenge_method must be ${challengeMethod}`);
  if (!/^[A-Za-z0-9_-]{43}$/.test(challenge))
    throw new AuthorizationError("invalid_request", "code_challenge must be 43 characters of base64url, a SHA-256");
  return challenge;
}
