// From an Authorization header to a principal (interface 5.1, 5.2).

import { hash, timingSafeEqual } from "node:crypto";
import type { Principal } from "../http/operations.ts";
import { Problem, type ProblemCode } from "../http/problem.ts";
import { readApiKey } from "./api-key.ts";
import type { ApiKeys } from "./api-keys.ts";
import type { CredentialChanges } from "./changes.ts";

/** What a credential was found to be; expiry and revocation are looked at every time it is used. */
type Verified = Readonly<{ principal: Principal; expiresAt: number; revoked: boolean }>;

export type Authenticator = {
  authenticate: (authorization: string | undefined) => Promise<Principal>;
  /** Forgets every cached credential: something was revoked. */
  forget: () => void;
};

export type AuthenticatorParts = {
  brand: string;
  apiKeys: Pick<ApiKeys, "find">;
  changes: () => Pick<CredentialChanges, "version" | "sighted">;
  noteUse: (apiKeyId: string) => void;
};

const cacheSize = 10_000;

/** Verifies bearer credentials, with a bounded cache in front of the database. Throws 401 Problems, or 503 when revocations can't be seen. */
export function makeAuthenticator({ brand, apiKeys, changes, noteUse }: AuthenticatorParts): Authenticator {
  const cache = new Map<string, Verified>();

  const verify = async (token: string): Promise<Verified> => {
    const fingerprint = hash("sha256", token);
    const cached = cache.get(fingerprint);
    if (cached) return cached;
    const { version } = changes();
    const before = version();
    const verified = await lookUp(token);
    // A revocation that arrived while we were reading must not be overwritten by what we read before it.
    if (version() === before) remember(cache, fingerprint, verified);
    return verified;
  };

  const lookUp = async (token: string): Promise<Verified> => {
    const parts = readApiKey(brand, token);
    const row = parts && (await apiKeys.find(parts.publicId));
    if (!row || !timingSafeEqual(row.secret_hash, parts.hash)) throw refused("invalid_token", "This credential is not known here.");
    return {
      principal: Object.freeze({
        streamerId: row.streamer_id,
        applicationId: row.application_id,
        scopes: row.scopes,
        credential: { kind: "api_key" as const, id: row.id },
      }),
      expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,
      revoked: row.revoked_at !== null,
    };
  };

  const authenticate = async (authorization: string | undefined): Promise<Principal> => {
    const token = bearerToken(authorization);
    if (!changes().sighted()) throw new Problem("unavailable", "Revocations can't be read at the moment; nothing was recorded.");
    const { principal, expiresAt, revoked } = await verify(token);
    if (revoked) throw refused("token_revoked", "This credential was revoked.");
    if (expiresAt <= Date.now()) throw refused("token_expired", "This credential has expired.");
    noteUse(principal.credential.id);
    return principal;
  };

  return { authenticate, forget: () => cache.clear() };
}

/** The token of a Bearer header (RFC 6750 2.1). Any other scheme is as good as none. */
function bearerToken(authorization: string | undefined): string {
  const [, token] = /^bearer +(.*)$/i.exec(authorization?.trim() ?? "") ?? [];
  if (token) return token;
  throw refused("missing_credentials", "Send Authorization: Bearer <token>.");
}

function refused(
  code: ProblemCode & ("missing_credentials" | "invalid_token" | "token_expired" | "token_revoked"),
  detail: string,
): Problem {
  // RFC 6750 3.1: no error attribute when no credential was sent.
  const challenge = code === "missing_credentials" ? "Bearer" : `Bearer error="invalid_token", error_description="${detail}"`;
  return new Problem(code, detail, { headers: { "WWW-Authenticate": challenge } });
}

/** Oldest out first; a Map keeps the order of insertion. */
function remember(cache: Map<string, Verified>, fingerprint: string, verified: Verified): void {
  if (cache.size >= cacheSize) cache.delete(cache.keys().next().value as string);
  cache.set(fingerprint, verified);
}
