// Errors of the OAuth endpoints, with bodies by RFC 6749 5.2. One table converts problems of the router into them.

import type { Problem, ProblemCode } from "./problem.ts";

export type OAuthCode =
  | "invalid_request"
  | "invalid_client"
  | "invalid_grant"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "invalid_scope"
  | "invalid_target"
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
