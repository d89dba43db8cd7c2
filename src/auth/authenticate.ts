// From an Authorization header to a principal (interface 5.1, 5.2): API keys and access tokens alike, and overlay keys apart from them.

import { hash, timingSafeEqual } from "node:crypto";
import type { Principal } from "../http/operations.ts";
import { Problem, type ProblemCode } from "../http/problem.ts";
import { scopesOf, verifySignature } from "./access-token.ts";
import type { ApiKeys } from "./api-keys.ts";
import type { CredentialChanges } from "./changes.ts";
import type { Denials } from "./denials.ts";
import { readKey } from "./key.ts";
import type { OverlayKeys } from "./overlay-keys.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** What a credential was found to be. Time and revocation are looked at every time it is used. */
type Verified = Readonly<{
  principal: Principal;
  /** Milliseconds since 1970. */
  expiresAt: number;
  revoked: boolean;
  /** What an access token says of itself; null for a key of ours: an API key is good wherever bearer credentials are. */
  token: Readonly<{ issuer: string; audience: string; ids: readonly string[] }> | null;
}>;

export type Authenticator = {
  /** `audience` is the resource asked for: the base URL, or its `/mcp`. */
  authenticate: (authorization: string | undefined, audience: string) => Promise<Principal>;
  /** For operations of the overlay: takes overlay keys alone, as nothing else does. */
  authenticateOverlay: (authorization: string | undefined) => Promise<Principal>;
  /** Forgets every cached credential: something was revoked. */
  forget: () => void;
};

export type AuthenticatorParts = {
  brand: string;
  baseUrl: string;
  apiKeys: Pick<ApiKeys, "find">;
  overlayKeys: Pick<OverlayKeys, "find">;
  signingKeys: Pick<SigningKeys, "verifying">;
  denials: Pick<Denials, "has">;
  changes: () => Pick<CredentialChanges, "version" | "sighted">;
  noteUse: (apiKeyId: string) => void;
};

const cacheSize = 10_000;

/**
 * Verifies bearer credentials, with a bounded cache in front of database and signature check.
 * Throws 401 Problems, or unavailable when revocations can't be seen.
 */
export function makeAuthenticator(parts: AuthenticatorParts): Authenticator {
  const { brand, baseUrl, apiKeys, overlayKeys, signingKeys, denials, changes, noteUse } = parts;
  const cache = new Map<string, Verified>();

  const verify = async (token: string, find: (token: string) => Promise<Verified>): Promise<Verified> => {
    if (!changes().sighted()) throw new Problem("unavailable", "Revocations can't be read at the moment; nothing was recorded.");
    const fingerprint = hash("sha256", token);
    const cached = cache.get(fingerprint);
    if (cached) return cached;
    const { version } = changes();
    const before = version();
    const verified = await find(token);
    // A revocation that arrived while we were reading must not be overwritten by what we read before it.
    if (version() === before) remember(cache, fingerprint, verified);
    return verified;
  };

  const verifyCredential = (token: string) => (token.startsWith(`${brand}_`) ? verifyKey(token) : verifyToken(token));

  const verifyKey = async (token: string): Promise<Verified> => {
    const parts = readKey(brand, "v1", token);
    const row = parts && (await apiKeys.find(parts.publicId));
    if (!row || !timingSafeEqual(row.secret_hash, parts.hash)) throw notKnown();
    const { streamer_id: streamerId, application_id: applicationId, scopes, id } = row;
    return {
      principal: Object.freeze({ streamerId, applicationId, scopes, credential: { kind: "api_key" as const, id } }),
      expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
      revoked: row.revoked_at !== null,
      token: null,
    };
  };

  const verifyOverlayKey = async (token: string): Promise<Verified> => {
    const parts = readKey(brand, "o1", token);
    const row = parts && (await overlayKeys.find(parts.publicId));
    if (!row || !timingSafeEqual(row.secret_hash, parts.hash)) throw notKnown();
    const credential = { kind: "overlay_key" as const, id: row.id };
    return {
      principal: Object.freeze({ streamerId: row.streamer_id, applicationId: "", scopes: [], credential }),
      expiresAt: Number.POSITIVE_INFINITY,
      revoked: row.revoked_at !== null,
      token: null,
    };
  };

  const verifyToken = async (token: string): Promise<Verified> => {
    const claims = await verifySignature(signingKeys, token);
    if (!claims) throw notKnown();
    const credential = { kind: "access_token" as const, id: claims.jti };
    return {
      principal: Object.freeze({ streamerId: claims.sub, applicationId: claims.application_id, scopes: scopesOf(claims), credential }),
      expiresAt: claims.exp * 1000,
      revoked: false,
      token: { issuer: claims.iss, audience: claims.aud, ids: [claims.jti, claims.grant_id] },
    };
  };

  /** A token for the base URL is good on every resource of ours; a token for one resource is good there only. */
  const isForHere = (token: Verified["token"], audience: string) =>
    token === null || (token.issuer === baseUrl && (token.audience === baseUrl || token.audience === audience));

  /** The token of a Bearer header (RFC 6750 2.1). Any other scheme is as good as none. */
  const bearerToken = (authorization: string | undefined): string => {
    const [, token] = /^bearer +(.*)$/i.exec(authorization?.trim() ?? "") ?? [];
    if (token) return token;
    throw missing(brand);
  };

  const authenticate = async (authorization: string | undefined, audience: string): Promise<Principal> => {
    const bearer = bearerToken(authorization);
    if (isOverlayKey(bearer)) throw notKnown();
    const { principal, expiresAt, revoked, token } = await verify(bearer, verifyCredential);
    if (!isForHere(token, audience)) throw refused("invalid_token", "This token was made for another resource.");
    if (revoked || token?.ids.some(denials.has)) throw refused("token_revoked", "This credential was revoked.");
    if (expiresAt <= Date.now()) throw refused("token_expired", "This credential has expired.");
    if (token === null) noteUse(principal.credential.id);
    return principal;
  };

  /** One cache holds all: a token is looked up as an overlay key or as anything else, never as both. */
  const isOverlayKey = (token: string) => token.startsWith(`${brand}_o1_`);

  const authenticateOverlay = async (authorization: string | undefined): Promise<Principal> => {
    const bearer = bearerToken(authorization);
    if (!isOverlayKey(bearer)) throw notKnown();
    const { principal, revoked } = await verify(bearer, verifyOverlayKey);
    if (revoked) throw refused("token_revoked", "This overlay key was replaced.");
    return principal;
  };

  return { authenticate, authenticateOverlay, forget: () => cache.clear() };
}

/** RFC 6750 3, 3.1: no error attribute when no credential was sent, but one parameter at least, so the realm. */
function missing(realm: string): Problem {
  const challenge = `Bearer realm="${realm}"`;
  return new Problem("missing_credentials", "Send Authorization: Bearer <token>.", { headers: { "WWW-Authenticate": challenge } });
}

type Refusal = ProblemCode & ("invalid_token" | "token_expired" | "token_revoked");

function refused(code: Refusal, detail: string): Problem {
  const challenge = `Bearer error="invalid_token", error_description="${detail}"`;
  return new Problem(code, detail, { headers: { "WWW-Authenticate": challenge } });
}

function notKnown(): Problem {
  return refused("invalid_token", "This credential is not known here.");
}

/** Oldest out first; a Map keeps the order of insertion. */
function remember(cache: Map<string, Verified>, fingerprint: string, verified: Verified): void {
  if (cache.size >= cacheSize) cache.delete(cache.keys().next().value as string);
  cache.set(fingerprint, verified);
}
