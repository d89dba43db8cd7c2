// Signs and verifies access tokens: JWTs by RFC 9068, signed with ES256.

import { sign } from "node:crypto";
import { compactVerify, decodeProtectedHeader } from "jose";
import type { Scope } from "../http/operations.ts";
import { accessTokenLifetime } from "./revocations.ts";
import type { SigningKeys } from "./signing-keys.ts";

/** Claims of an access token (RFC 9068 2.2). Times are seconds since 1970. */
type AccessClaims = Readonly<{
  iss: string;
  aud: string;
  /** The streamer's id. */
  sub: string;
  client_id: string;
  /** The client's application, within which its idempotency keys are unique. */
  application_id: string;
  grant_id: string;
  scope: string;
  jti: string;
  iat: number;
  exp: number;
}>;

type NewAccessToken = Omit<AccessClaims, "iat" | "exp">;

const textMembers = ["iss", "aud", "sub", "client_id", "application_id", "grant_id", "scope", "jti"] as const;

/**
 * Signs a token with the newest key (RFC 7515 7.1, ES256 by RFC 7518 3.4). It is valid for an hour. jose would sign in the thread pool,
 * which takes twice the processor time of signing here.
 */
export async function signAccessToken(keys: SigningKeys, claims: NewAccessToken): Promise<string> {
  const { kid, privateKey } = keys.current();
  const iat = Math.floor(Date.now() / 1000);
  const content = `${encode({ alg: "ES256", typ: "at+jwt", kid })}.${encode({ ...claims, iat, exp: iat + accessTokenLifetime })}`;
  return `${content}.${sign("sha256", Buffer.from(content), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

/**
 * Claims of a token that one of this server's keys signed; null for any other text. Checks the signature and the format only, so that
 * the result can be cached: the caller checks time, issuer, audience, scope and revocation at every use.
 */
export async function verifySignature(keys: SigningKeys, token: string): Promise<AccessClaims | null> {
  if (!token.split(".").every(isBase64url)) return null; // jose decodes other spellings of the same bytes, too
  try {
    const { alg, typ, kid } = decodeProtectedHeader(token);
    const key = alg === "ES256" && typ === "at+jwt" && kid ? await keys.findPublicKey(kid) : null;
    if (!key) return null;
    const { payload } = await compactVerify(token, key, { algorithms: ["ES256"] });
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
    return isComplete(claims) ? claims : null;
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith("ERR_J")) return null;
    if (error instanceof TypeError || error instanceof SyntaxError) return null; // the text is not three parts of base64url, or a part is not JSON
    throw error;
  }
}

/** The scopes a token carries. */
export function scopesOf({ scope }: AccessClaims): Scope[] {
  return scope.split(" ").filter(Boolean) as Scope[];
}

/** Whether a text is how base64url spells its bytes: without padding, line breaks and other characters, its unused bits zero (RFC 7515 2). */
function isBase64url(text: string): boolean {
  return Buffer.from(text, "base64url").toString("base64url") === text;
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}

function isComplete(claims: unknown): claims is AccessClaims {
  const { iat, exp, ...texts } = claims as Record<string, unknown>;
  return textMembers.every((member) => typeof texts[member] === "string") && typeof exp === "number" && typeof iat === "number";
}
