// The Authorization header with the Bearer scheme (RFC 6750), and what its token stands for: an API key, an overlay key or an access token. Each
// function throws invalid_token for an unknown one. Expiry, revocation and audience are checked by the caller at every use.

import { timingSafeEqual } from "node:crypto";
import type { Principal } from "../http/operations.ts";
import { Problem, type ProblemCode } from "../http/problem.ts";
import { scopesOf, verifySignature } from "./access-token.ts";
import type { ApiKeys } from "./api-keys.ts";
import { readKey } from "./keys.ts";
import type { OverlayKeys } from "./overlay-keys.ts";
import type { SigningKeys } from "./signing-keys.ts";

type RejectionCode = ProblemCode & ("invalid_token" | "token_expired" | "token_revoked");

/** A credential whose secret or signature is right. */
export type VerifiedCredential = Readonly<{
  principal: Principal;
  /** Milliseconds since 1970; infinite for a credential that does not expire. */
  expiresAt: number;
  /** Whether the key was revoked; always false for an access token, whose revocation the denials hold. */
  revoked: boolean;
  /** What an access token says of itself. Null for API keys and overlay keys, which are bound to no resource. */
  token: Readonly<{ issuer: string; audience: string; ids: readonly string[] }> | null;
}>;

export type VerifyDeps = {
  brand: string;
  apiKeys: ApiKeys;
  overlayKeys: OverlayKeys;
  signingKeys: SigningKeys;
};

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

/** Verifies an API key or an access token. */
export function verifyKeyOrToken(deps: VerifyDeps, token: string): Promise<VerifiedCredential> {
  return token.startsWith(`${deps.brand}_`) ? verifyApiKey(deps, token) : verifyAccessToken(deps, token);
}

export async function verifyOverlayKey({ brand, overlayKeys }: VerifyDeps, token: string): Promise<VerifiedCredential> {
  const parts = readKey(brand, "o1", token);
  const row = parts && (await overlayKeys.find(parts.publicId));
  if (!row || !timingSafeEqual(row.secret_hash, parts.hash)) throw unknownCredential();
  const credential = { kind: "overlay_key" as const, id: row.id };
  return {
    principal: Object.freeze({ streamerId: row.streamer_id, applicationId: "", scopes: [], credential }),
    expiresAt: Number.POSITIVE_INFINITY,
    revoked: row.revoked_at !== null,
    token: null,
  };
}

async function verifyApiKey({ brand, apiKeys }: VerifyDeps, token: string): Promise<VerifiedCredential> {
  const parts = readKey(brand, "v1", token);
  const row = parts && (await apiKeys.find(parts.publicId));
  if (!row || !timingSafeEqual(row.secret_hash, parts.hash)) throw unknownCredential();
  const { streamer_id: streamerId, application_id: applicationId, scopes, id } = row;
  return {
    principal: Object.freeze({ streamerId, applicationId, scopes, credential: { kind: "api_key" as const, id } }),
    expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
    revoked: row.revoked_at !== null,
    token: null,
  };
}

async function verifyAccessToken({ signingKeys }: VerifyDeps, token: string): Promise<VerifiedCredential> {
  const claims = await verifySignature(signingKeys, token);
  if (!claims) throw unknownCredential();
  const credential = { kind: "access_token" as const, id: claims.jti };
  return {
    principal: Object.freeze({ streamerId: claims.sub, applicationId: claims.application_id, scopes: scopesOf(claims), credential }),
    expiresAt: claims.exp * 1000,
    revoked: false,
    token: { issuer: claims.iss, audience: claims.aud, ids: [claims.jti, claims.grant_id] },
  };
}
