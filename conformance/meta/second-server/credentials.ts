// Credentials of the second server. They are new at each start and kept in memory.

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

export type Scope = "write:donations" | "read:donations";

export type Credentials = {
  /** API keys and their scopes. */
  keys: Map<string, Scope[]>;
  client: { id: string; secret: string };
  /** Creates an access token, a signed JWT (interface 5.2). */
  accessToken: (scopes: Scope[]) => string;
  /** Returns the scopes of an access token or API key; null for anything else. */
  scopesOf: (token: string) => Scope[] | null;
  revoke: (token: string) => void;
  /** Makes all revoked tokens valid again, for the next run of the suite. */
  restoreRevoked: () => void;
};

const random = (bytes: number): string => randomBytes(bytes).toString("base64url").replaceAll(/[_-]/g, "0");
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

export function newCredentials(): Credentials {
  const [secret, revoked] = [randomBytes(32), new Set<string>()];
  const key = (): string => `tip_jar_v1_${random(30)}`;
  const keys = new Map<string, Scope[]>([
    [key(), ["write:donations", "read:donations"]],
    [key(), ["read:donations"]],
    [key(), ["write:donations"]],
  ]);
  const signature = (signed: string): string => createHmac("sha256", secret).update(signed).digest("base64url");
  const accessToken = (scopes: Scope[]): string => {
    const signed = `${encoded({ alg: "HS256", typ: "at+jwt" })}.${encoded({ jti: random(9), scope: scopes.join(" ") })}`;
    return `${signed}.${signature(signed)}`;
  };
  const scopesOf = (token: string): Scope[] | null => {
    if (revoked.has(token)) return null;
    const [head = "", claims = "", signed = ""] = token.split(".");
    if (!isEqual(signed, signature(`${head}.${claims}`))) return keys.get(token) ?? null;
    return JSON.parse(Buffer.from(claims, "base64url").toString()).scope.split(" ");
  };
  const client = { id: `app-${random(6)}`, secret: random(24) };
  return { keys, client, accessToken, scopesOf, revoke: (token) => void revoked.add(token), restoreRevoked: () => revoked.clear() };
}

/** Returns the environment variables with which the suite tests this server. */
export function settingsFor(url: string, { keys, client, accessToken }: Credentials): Record<string, string> {
  const [API_KEY = "", READ_API_KEY = "", WRITE_API_KEY = ""] = keys.keys();
  return {
    API_URL: url,
    API_KEY,
    READ_API_KEY,
    WRITE_API_KEY,
    OAUTH_CLIENT_ID: client.id,
    OAUTH_CLIENT_SECRET: client.secret,
    OAUTH_ACCESS_TOKEN: accessToken(["write:donations"]),
    OAUTH_REVOCABLE_TOKEN: accessToken(["write:donations"]),
  };
}

const isEqual = (a: string, b: string): boolean => a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
