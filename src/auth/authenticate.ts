// From an Authorization header to a principal (interface 5.1, 5.2): API keys and access tokens alike, and overlay keys apart from them.

import { hash, timingSafeEqual } from "node:crypto";
import type { Authenticator, Standing } from "../http/guards.ts";
import type { Principal } from "../http/operations.ts";
import { Problem, type ProblemCode } from "../http/problem.ts";
import { scopesOf, verifySignature } from "./access-token.ts";
import type { ApiKeys } from "./api-keys.ts";
import type { Denials } from "./denials.ts";
import { readKey } from "./key-text.ts";
import type { OverlayKeys } from "./overlay-keys.ts";
import type { CredentialChanges } from "./revocation-feed.ts";
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

/** Up to date as long as nothing was revoked since. */
type Remembered = Readonly<{ verified: Verified; version: number }>;

export type Authenticators = {
  /** `audience` is the resource asked for: the base URL, or its `/mcp`. */
  authenticatorFor: (audience: string) => Authenticator;
  /** For operations of the overlay: takes overlay keys alone, as nothing else does. */
  overlayAuthenticator: Authenticator;
  /** Cached credentials are looked up again before they are used: something was revoked. */
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
export function makeAuthenticators(parts: AuthenticatorParts): Authenticators {
  const { brand, baseUrl, apiKeys, overlayKeys, signingKeys, denials, changes, noteUse } = parts;
  const cache = new Map<string, Remembered>();
  let forgotten = 0;

  const verify = async (token: string, find: (token: string) => Promise<Verified>): Promise<Verified> => {
    if (!changes().sighted()) throw new Problem("unavailable", "Revocations can't be read at the moment; nothing was recorded.");
    const fingerprint = hash("sha256", token);
    const cached = cache.get(fingerprint);
    if (cached?.version === forgotten) return cached.verified;
    const { version } = changes();
    const before = version();
    const asOf = forgotten;
    try {
      const verified = await find(token);
      // A revocation that arrived while we were reading must not be overwritten by what we read before it.
      if (version() === before) remember(cache, fingerprint, { verified, version: asOf });
      return verified;
    } catch (error) {
      if (error instanceof Problem) cache.delete(fingerprint);
      throw error;
    }
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

  /** Throws unless it is good here and now. */
  const judge = ({ principal, expiresAt, revoked, token }: Verified, audience: string): Principal => {
    if (!isForHere(token, audience)) throw refused("invalid_token", "This token was made for another resource.");
    const isOverlay = principal.credential.kind === "overlay_key";
    if (revoked && isOverlay) throw refused("token_revoked", "This overlay key was replaced.");
    if (revoked || token?.ids.some(denials.has)) throw refused("token_revoked", "This credential was revoked.");
    if (expiresAt <= Date.now()) throw refused("token_expired", "This credential has expired.");
    if (token === null && !isOverlay) noteUse(principal.credential.id);
    return principal;
  };

  /** One cache holds all: a token is looked up as an overlay key or as anything else, never as both. */
  const isOverlayKey = (token: string) => token.startsWith(`${brand}_o1_`);

  const recall = (authorization: string | undefined, isOurs: (token: string) => boolean, audience: string): Principal | null => {
    const token = readBearer(authorization);
    if (token === null || !isOurs(token) || !changes().sighted()) return null;
    const cached = cache.get(hash("sha256", token));
    if (cached?.version !== forgotten) return null;
    try {
      return judge(cached.verified, audience);
    } catch {
      return null; // `verify` says why
    }
  };

  const standing = (authorization: string | undefined): Standing => {
    const token = readBearer(authorization);
    if (token === null) return "none";
    const cached = cache.get(hash("sha256", token));
    if (cached && !cached.verified.revoked && cached.verified.expiresAt > Date.now()) return "proven";
    const isKey = readKey(brand, "v1", token) || readKey(brand, "o1", token);
    return isKey || /^ey[\w-]+(?:\.[\w-]+){2}$/.test(token) ? "plausible" : "none";
  };

  const isCredential = (token: string) => !isOverlayKey(token);

  return {
    authenticatorFor: (audience) => ({
      recall: (authorization) => recall(authorization, isCredential, audience),
      standing,
      verify: async (authorization) => {
        const token = bearerToken(authorization, brand);
        if (isOverlayKey(token)) throw notKnown();
        return judge(await verify(token, verifyCredential), audience);
      },
    }),
    overlayAuthenticator: {
      recall: (authorization) => recall(authorization, isOverlayKey, baseUrl),
      standing,
      verify: async (authorization) => {
        const token = bearerToken(authorization, brand);
        if (!isOverlayKey(token)) throw notKnown();
        return judge(await verify(token, verifyOverlayKey), baseUrl);
      },
    },
    forget: () => {
      forgotten += 1;
    },
  };
}

/** The token of a Bearer header (RFC 6750 2.1); null for any other scheme, which is as good as none. */
function readBearer(authorization: string | undefined): string | null {
  return /^bearer +(.*)$/i.exec(authorization?.trim() ?? "")?.[1] || null;
}

/** RFC 6750 3, 3.1: no error attribute when no credential was sent, but one parameter at least, so the realm. */
function bearerToken(authorization: string | undefined, realm: string): string {
  const token = readBearer(authorization);
  if (token) return token;
  const headers = { "WWW-Authenticate": `Bearer realm="${realm}"` };
  throw new Problem("missing_credentials", "Send Authorization: Bearer <token>.", { headers });
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
function remember(cache: Map<string, Remembered>, fingerprint: string, verified: Remembered): void {
  if (cache.size >= cacheSize && !cache.has(fingerprint)) cache.delete(cache.keys().next().value as string);
  cache.set(fingerprint, verified);
}
