// Turns an Authorization header into a principal (interface 5.1, 5.2). Overlay keys have an authenticator of their own: they are
// accepted for the overlay's operations only, and nothing else is accepted there.

import { hash, timingSafeEqual } from "node:crypto";
import type { Authenticator } from "../http/guards.ts";
import type { Principal } from "../http/operations.ts";
import { Problem, type ProblemCode } from "../http/problem.ts";
import type { Likelihood } from "../http/rate-limits/rate-limits.ts";
import { scopesOf, verifySignature } from "./access-token.ts";
import type { ApiKeys } from "./api-keys.ts";
import { readKey } from "./keys.ts";
import type { OverlayKeys } from "./overlay-keys.ts";
import type { CredentialChanges, Denials } from "./revocations.ts";
import type { SigningKeys } from "./signing-keys.ts";

type Authenticators = {
  /** `audience` is the requested resource: the base URL, or its `/mcp`. */
  authenticatorFor: (audience: string) => Authenticator;
  /** For the overlay's operations. */
  overlayAuthenticator: Authenticator;
  /** Makes every cached credential be verified again before its next use, because something was revoked. */
  invalidateCache: () => void;
};

export type AuthenticatorDeps = {
  brand: string;
  baseUrl: string;
  apiKeys: ApiKeys;
  overlayKeys: OverlayKeys;
  signingKeys: SigningKeys;
  denials: Denials;
  changes: () => CredentialChanges;
  recordUse: (key: Principal["credential"]) => void;
};

type CredentialCache = Readonly<{
  /** What was verified since the last revocation anywhere; null: verify the token again. */
  getCurrent: (token: string) => VerifiedCredential | null;
  /** What was verified last, possibly before a revocation. */
  getLast: (token: string) => VerifiedCredential | null;
  /** The cached credential, or else what `verify` resolves to, which is cached. */
  getOrVerify: (token: string, verify: (token: string) => Promise<VerifiedCredential>) => Promise<VerifiedCredential>;
  /** Every entry must be verified again before its next use. */
  invalidate: () => void;
}>;

type Entry = Readonly<{ verified: VerifiedCredential; generation: number }>;

/** Which tokens an authenticator accepts, and for which resource. */
type Acceptance = Readonly<{
  cache: CredentialCache;
  audience: string;
  accepts: (token: string) => boolean;
  verify: (token: string) => Promise<VerifiedCredential>;
}>;

const maxEntries = 10_000;

/**
 * Verifies bearer credentials, with a bounded cache in front of database and signature check.
 * Throws 401 Problems, or unavailable when revocations can't be read.
 */
export function makeAuthenticators(deps: AuthenticatorDeps): Authenticators {
  const cache = credentialCache(deps.changes);
  const { brand, baseUrl } = deps;
  const isOverlayKey = (token: string) => token.startsWith(`${brand}_o1_`);

  const authenticator = (acceptance: Acceptance): Authenticator => ({
    recall: (authorization) => recall(deps, acceptance, authorization),
    likelihood: (authorization) => likelihoodOf(deps, acceptance, authorization),
    verify: (authorization) => authenticate(deps, acceptance, authorization),
  });
  return {
    authenticatorFor: (audience) =>
      authenticator({ cache, audience, accepts: (token) => !isOverlayKey(token), verify: (token) => verifyKeyOrToken(deps, token) }),
    overlayAuthenticator: authenticator({
      cache,
      audience: baseUrl,
      accepts: isOverlayKey,
      verify: (token) => verifyOverlayKey(deps, token),
    }),
    invalidateCache: cache.invalidate,
  };
}

async function authenticate(
  deps: AuthenticatorDeps,
  { cache, audience, accepts, verify }: Acceptance,
  authorization: string | undefined,
): Promise<Principal> {
  const token = requireBearer(authorization, deps.brand);
  if (!accepts(token)) throw unknownCredential();
  if (!deps.changes().isUpToDate()) throw new Problem("unavailable", "Revocations can't be read at the moment; nothing was recorded.");
  return requireUsable(deps, await cache.getOrVerify(token, verify), audience);
}

/** The principal of a cached credential that can be used now; null when it has to be verified. */
function recall(deps: AuthenticatorDeps, { cache, audience, accepts }: Acceptance, authorization: string | undefined): Principal | null {
  const token = readBearer(authorization);
  if (token === null || !accepts(token) || !deps.changes().isUpToDate()) return null;
  const cached = cache.getCurrent(token);
  if (!cached) return null;
  try {
    return requireUsable(deps, cached, audience);
  } catch {
    return null; // `verify` throws the reason
  }
}

function likelihoodOf(deps: AuthenticatorDeps, { cache, audience, accepts }: Acceptance, authorization: string | undefined): Likelihood {
  const { brand } = deps;
  const token = readBearer(authorization);
  if (token === null) return "none";
  const last = cache.getLast(token);
  if (last && accepts(token) && !faultOf(deps, last, audience)) return "proven";
  const isKey = readKey(brand, "v1", token) || readKey(brand, "o1", token);
  return isKey || /^ey[\w-]+(?:\.[\w-]+){2}$/.test(token) ? "plausible" : "none";
}

/** The principal of a credential. Throws a 401 Problem unless the credential is good for this resource at this moment. */
function requireUsable(deps: AuthenticatorDeps, credential: VerifiedCredential, audience: string): Principal {
  const fault = faultOf(deps, credential, audience);
  if (fault) throw fault;
  const { principal, token } = credential;
  if (token === null) deps.recordUse(principal.credential);
  return principal;
}

/** Why a credential is not good for this resource at this moment; null when it is. */
function faultOf(deps: AuthenticatorDeps, credential: VerifiedCredential, audience: string): Problem | null {
  const { principal, expiresAt, revoked, token } = credential;
  if (!isForAudience(deps.baseUrl, token, audience)) return credentialProblem("invalid_token", "This token was made for another resource.");
  const isOverlay = principal.credential.kind === "overlay_key";
  if (revoked && isOverlay) return credentialProblem("token_revoked", "This overlay key was revoked.");
  if (revoked || token?.ids.some(deps.denials.has)) return credentialProblem("token_revoked", "This credential was revoked.");
  if (expiresAt <= Date.now()) return credentialProblem("token_expired", "This credential has expired.");
  return null;
}

/** A token for the base URL is good on every resource of this server; a token for one resource is good there only. */
function isForAudience(baseUrl: string, token: VerifiedCredential["token"], audience: string): boolean {
  return token === null || (token.issuer === baseUrl && (token.audience === baseUrl || token.audience === audience));
}

/** A bounded cache of verified credentials, so that a repeated credential needs neither the database nor a signature check. */
function credentialCache(changes: () => CredentialChanges): CredentialCache {
  const entries = new Map<string, Entry>();
  let generation = 0;
  const keyOf = (token: string) => hash("sha256", token);

  const getCurrent = (token: string) => {
    const entry = entries.get(keyOf(token));
    return entry?.generation === generation ? entry.verified : null;
  };

  return {
    getCurrent,
    getLast: (token) => entries.get(keyOf(token))?.verified ?? null,
    getOrVerify: async (token, verify) => {
      const cached = getCurrent(token);
      if (cached) return cached;
      const { version } = changes();
      const [versionBefore, generationBefore] = [version(), generation];
      try {
        const verified = await verify(token);
        // A result that was read before a revocation arrived must not be cached after it.
        if (version() === versionBefore) insert(entries, keyOf(token), { verified, generation: generationBefore });
        return verified;
      } catch (error) {
        if (error instanceof Problem) entries.delete(keyOf(token));
        throw error;
      }
    },
    invalidate: () => {
      generation += 1;
    },
  };
}

/** Drops the oldest entry of a full cache; a Map keeps the order of insertion. */
function insert(entries: Map<string, Entry>, key: string, entry: Entry): void {
  if (entries.size >= maxEntries && !entries.has(key)) entries.delete(entries.keys().next().value as string);
  entries.set(key, entry);
}

// The Authorization header with the Bearer scheme (RFC 6750), and what its token stands for: an API key, an overlay key or an access token. Each
// function throws invalid_token for an unknown one. Expiry, revocation and audience are checked by the caller at every use.

type RejectionCode = ProblemCode & ("invalid_token" | "token_expired" | "token_revoked");

/** A credential whose secret or signature is right. */
type VerifiedCredential = Readonly<{
  principal: Principal;
  /** Milliseconds since 1970; infinite for a credential that does not expire. */
  expiresAt: number;
  /** Whether the key was revoked; always false for an access token, whose revocation the denials hold. */
  revoked: boolean;
  /** What an access token says of itself. Null for API keys and overlay keys, which are bound to no resource. */
  token: Readonly<{ issuer: string; audience: string; ids: readonly string[] }> | null;
}>;

/** The token of a Bearer header (RFC 6750 2.1). Null for a missing header and for any other scheme, which counts as no credential. */
function readBearer(authorization: string | undefined): string | null {
  return /^bearer +(.*)$/i.exec(authorization ?? "")?.[1] || null;
}

/**
 * The token of a Bearer header. Throws missing_credentials: without a credential the challenge has no error attribute, but one
 * parameter at least, so the realm (RFC 6750 3, 3.1).
 */
function requireBearer(authorization: string | undefined, realm: string): string {
  const token = readBearer(authorization);
  if (token) return token;
  const headers = { "WWW-Authenticate": `Bearer realm="${realm}"` };
  throw new Problem("missing_credentials", "Send Authorization: Bearer <token>.", { headers });
}

/** The problem for a credential that was sent and is not accepted (RFC 6750 3.1). */
function credentialProblem(code: RejectionCode, detail: string): Problem {
  const challenge = `Bearer error="invalid_token", error_description="${detail}"`;
  return new Problem(code, detail, { headers: { "WWW-Authenticate": challenge } });
}

function unknownCredential(): Problem {
  return credentialProblem("invalid_token", "This credential is not known here.");
}

/** Verifies an API key or an access token. */
function verifyKeyOrToken(deps: AuthenticatorDeps, token: string): Promise<VerifiedCredential> {
  return token.startsWith(`${deps.brand}_`) ? verifyApiKey(deps, token) : verifyAccessToken(deps, token);
}

async function verifyOverlayKey({ brand, overlayKeys }: AuthenticatorDeps, token: string): Promise<VerifiedCredential> {
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

async function verifyApiKey({ brand, apiKeys }: AuthenticatorDeps, token: string): Promise<VerifiedCredential> {
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

async function verifyAccessToken({ signingKeys }: AuthenticatorDeps, token: string): Promise<VerifiedCredential> {
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
