// The Authorization header with the Bearer scheme (RFC 6750), and the 401 problems with their challenges.

import { Problem, type ProblemCode } from "../http/problem.ts";

type RejectionCode = ProblemCode & ("invalid_token" | "token_expired" | "token_revoked");

/** The token of a Bearer header (RFC 6750 2.1). Null for a missing header and for any other scheme, which counts as no credential. */
export function readBearer(authorization: string | undefined): string | null {
  return /^bearer +(.*)$/i.exec(authorization?.trim() ?? "")?.[1] || null;
}

/**
 * The token of a Bearer header. Throws missing_credentials: without a credential the challenge has no error attribute, but one
 * parameter at least, so the realm (RFC 6750 3, 3.1).
 */
export function requireBearer(authorization: string | undefined, realm: string): string {
  const token = readBearer(authorization);
  if (token) return token;
  const headers = { "WWW-Authenticate": `Bearer realm="${realm}"` };
  throw new Problem("missing_credentials", "Send Authorization: Bearer <token>.", { headers });
}

/** The problem for a credential that was sent and is not accepted (RFC 6750 3.1). */
export function credentialProblem(code: RejectionCode, detail: string): Problem {
  const challenge = `Bearer error="invalid_token", error_description="${detail}"`;
  return new Problem(code, detail, { headers: { "WWW-Authenticate": challenge } });
}

export function unknownCredential(): Problem {
  return credentialProblem("invalid_token", "This credential is not known here.");
}
