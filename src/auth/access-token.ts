// Access tokens: JWTs by RFC 9068, signed ES256.

import { compactVerify, decodeProtectedHeader, SignJWT } from "jose";
import type { Scope } from "../http/operations.ts";
import { accessTokenLifetime } from "./denials.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** What a token says. Times in seconds since 1970. */
export type AccessClaims = Readonly<{
  iss: string;
  aud: string;
  /** The streamer. */
  sub: string;
  client_id: string;
  /** The client's application, the scope of its idempotency keys. */
  application_id: string;
  grant_id: string;
  scope: string;
  jti: string;
  iat: number;
  exp: number;
}>;

export type NewAccessToken = Omit<AccessClaims, "iat" | "exp">;

const members = ["iss", "aud", "sub", "client_id", "application_id", "grant_id", "scope", "jti"] as const;

/** Signs a token with the newest key; it lives an hour. */
export async function signAccessToken(keys: Pick<SigningKeys, "current">, claims: NewAccessToken): Promise<string> {
  const { kid, privateKey } = keys.current();
  const iat = Math.floor(Date.now() / 1000);
  return new SignJWT({ ...claims, iat, exp: iat + accessTokenLifetime })
    .setProtectedHeader({ alg: "ES256", typ: "at+jwt", kid })
    .sign(privateKey);
}

/**
 * Claims of a token that one of our keys signed, or null. Looks at the signature and the form only, so that the result can
 * be kept: time, issuer, audience, scope and revocation are for the caller to judge at each use.
 */
export async function verifySignature(keys: Pick<SigningKeys, "verifying">, token: string): Promise<AccessClaims | null> {
  try {
    const { alg, typ, kid } = decodeProtectedHeader(token);
    const key = alg === "ES256" && typ === "at+jwt" && kid ? await keys.verifying(kid) : null;
    if (!key) return null;
    const { payload } = await compactVerify(token, key, { algorithms: ["ES256"] });
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
    return isComplete(claims) ? claims : null;
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith("ERR_J")) return null;
    if (error instanceof TypeError || error instanceof SyntaxError) return null; // not three parts of base64url, or no JSON
    throw error;
  }
}

/** The scopes a token carries. */
export function scopesOf({ scope }: Pick<AccessClaims, "scope">): Scope[] {
  return scope.split(" ").filter(Boolean) as Scope[];
}

function isComplete(claims: unknown): claims is AccessClaims {
  const given = claims as Record<string, unknown>;
  return members.every((member) => typeof given[member] === "string") && typeof given.exp === "number" && typeof given.iat === "number";
}
