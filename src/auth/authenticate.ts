// Turns an Authorization header into a principal (interface 5.1, 5.2). Overlay keys have an authenticator of their own: they are
// accepted for the overlay's operations only, and nothing else is accepted there.

import { hash } from "node:crypto";
import type { Authenticator } from "../http/guards.ts";
import type { Principal } from "../http/operations.ts";
import { Problem } from "../http/problem.ts";
import type { Likelihood } from "../http/rate-limits/rate-limits.ts";
import { readKey } from "./keys.ts";
import type { CredentialChanges, Denials } from "./revocations.ts";
import {
  credentialProblem,
  readBearer,
  requireBearer,
  unknownCredential,
  type VerifiedCredential,
  type VerifyDeps,
  verifyKeyOrToken,
  verifyOverlayKey,
} from "./verify-credential.ts";

export type Authenticators = {
  /** `audience` is the requested resource: the base URL, or its `/mcp`. */
  authenticatorFor: (audience: string) => Authenticator;
  /** For the overlay's operations. */
  overlayAuthenticator: Authenticator;
  /** Makes every cached credential be verified again before its next use, because something was revoked. */
  invalidateCache: () => void;
};

export type AuthenticatorDeps = VerifyDeps & {
  baseUrl: string;
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

type CachedDeps = AuthenticatorDeps & Readonly<{ cache: CredentialCache }>;

/** Which tokens an authenticator accepts, and for which resource. */
type Acceptance = Readonly<{
  audience: string;
  accepts: (token: string) => boolean;
  verify: (token: string) => Promise<VerifiedCredential>;
}>;

const maxEntries = 10_000;

/**
 * Verifies bearer credentials, with a bounded cache in front of database and signature check.
 * Throws 401 Problems, or unavailable when revocations can't be read.
 */
export function makeAuthenticators(authenticatorDeps: AuthenticatorDeps): Authenticators {
  const cache = credentialCache(authenticatorDeps.changes);
  const deps = { ...authenticatorDeps, cache };
  const { brand, baseUrl } = deps;
  const isOverlayKey = (token: string) => token.startsWith(`${brand}_o1_`);

  const authenticator = (acceptance: Acceptance): Authenticator => ({
    recall: (authorization) => recall(deps, acceptance, authorization),
    likelihood: (authorization) => likelihoodOf(deps, acceptance, authorization),
    verify: (authorization) => authenticate(deps, acceptance, authorization),
  });
  return {
    authenticatorFor: (audience) =>
      authenticator({ audience, accepts: (token) => !isOverlayKey(token), verify: (token) => verifyKeyOrToken(deps, token) }),
    overlayAuthenticator: authenticator({ audience: baseUrl, accepts: isOverlayKey, verify: (token) => verifyOverlayKey(deps, token) }),
    invalidateCache: cache.invalidate,
  };
}

async function authenticate(
  deps: CachedDeps,
  { audience, accepts, verify }: Acceptance,
  authorization: string | undefined,
): Promise<Principal> {
  const token = requireBearer(authorization, deps.brand);
  if (!accepts(token)) throw unknownCredential();
  if (!deps.changes().isUpToDate()) throw new Problem("unavailable", "Revocations can't be read at the moment; nothing was recorded.");
  return requireUsable(deps, await deps.cache.getOrVerify(token, verify), audience);
}

/** The principal of a cached credential that can be used now; null when it has to be verified. */
function recall(deps: CachedDeps, { audience, accepts }: Acceptance, authorization: string | undefined): Principal | null {
  const token = readBearer(authorization);
  if (token === null || !accepts(token) || !deps.changes().isUpToDate()) return null;
  const cached = deps.cache.getCurrent(token);
  if (!cached) return null;
  try {
    return requireUsable(deps, cached, audience);
  } catch {
    return null; // `verify` throws the reason
  }
}

function likelihoodOf(deps: CachedDeps, { audience, accepts }: Acceptance, authorization: string | undefined): Likelihood {
  const { brand, cache } = deps;
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
