// Turns an Authorization header into a principal (interface 5.1, 5.2). Overlay keys have an authenticator of their own: they are
// accepted for the overlay's operations only, and nothing else is accepted there.

import type { Authenticator, Likelihood } from "../http/guards.ts";
import type { Principal } from "../http/operations.ts";
import { Problem } from "../http/problem.ts";
import { credentialProblem, readBearer, requireBearer, unknownCredential } from "./bearer.ts";
import { type CredentialCache, credentialCache } from "./credential-cache.ts";
import type { Denials } from "./denials.ts";
import { readKey } from "./key-text.ts";
import type { CredentialChanges } from "./revocation-feed.ts";
import { type VerifiedCredential, type VerifyDeps, verifyKeyOrToken, verifyOverlayKey } from "./verify-credential.ts";

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
  denials: Pick<Denials, "has">;
  changes: () => Pick<CredentialChanges, "version" | "isUpToDate">;
  recordUse: (key: Principal["credential"]) => void;
};

type CachedDeps = AuthenticatorDeps & Readonly<{ cache: CredentialCache }>;

/** Which tokens an authenticator accepts, and for which resource. */
type Acceptance = Readonly<{
  audience: string;
  accepts: (token: string) => boolean;
  verify: (token: string) => Promise<VerifiedCredential>;
}>;

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
