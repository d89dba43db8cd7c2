// API keys and access tokens of our server's form, and such as are wrong in one thing.

import { createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { crc32 } from "node:zlib";
import { decodeJwt, decodeProtectedHeader, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import type { components } from "../../../generated/api.d.ts";
import { send } from "../client/http-client.ts";
import type { Operator } from "../values/target.ts";
import { rowsOfTables } from "./database.ts";

// Builds and changes keys of our server's form (interface 5.2): a prefix, 8 public and 32 secret base62 characters, a CRC-32 as six base62 digits.

export const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
export const publicLength = 8;
export const secretLength = 32;
const checksumLength = 6;

/** Appends the checksum. `body`: everything before it. */
export function withChecksum(body: string): string {
  let rest = crc32(body);
  let digits = "";
  for (let i = 0; i < checksumLength; i += 1) {
    digits = base62[rest % base62.length] + digits;
    rest = Math.floor(rest / base62.length);
  }
  return body + digits;
}

/** Whether the key has the form of our keys; another server's may differ. */
export const hasOurForm = (key: string): boolean => withChecksum(bodyOf(key)) === key;

/** A key that was never issued: one character of the secret is changed, and the checksum fits. */
export function withAnotherSecret(key: string, at: number): string {
  const body = bodyOf(key);
  const place = body.length - secretLength + at;
  return withChecksum(body.slice(0, place) + (body[place] === "0" ? "1" : "0") + body.slice(place + 1));
}

const bodyOf = (key: string): string => key.slice(0, -checksumLength);

// Access tokens that are wrong in one thing.

type Jwk = components["schemas"]["PublicKey"];
export type SigningKey = { kid: string; privateKey: KeyObject };
type Claims = JWTPayload & { scope?: string; client_id?: string };

/** The keys that the server publishes. */
export const publicKeys = async (server?: string): Promise<Jwk[]> =>
  ((await send({ path: "/.well-known/jwks.json", key: null, server })).body as { keys: Jwk[] }).keys;

/** A private key of the server from its database, recognised by its public key. Null when the database keeps it encrypted. */
export async function stolenKey(operator: Operator): Promise<SigningKey | null> {
  const published = await publicKeys();
  const rows = [...(await rowsOfTables(operator, 100)).values()].flat();
  const pairs = rows
    .flatMap((row) => Object.values(row).filter(Buffer.isBuffer))
    .map(privateKeyOf)
    .flatMap((privateKey) => (privateKey ? [{ privateKey, x: createPublicKey(privateKey).export({ format: "jwk" }).x }] : []));
  const found = pairs.map(({ privateKey, x }) => ({ privateKey, kid: published.find((jwk) => jwk.x === x)?.kid }));
  const [key] = found.filter((one): one is SigningKey => one.kid !== undefined);
  return key ?? null;
}

export const headerOf = (token: string): JWTHeaderParameters => decodeProtectedHeader(token) as JWTHeaderParameters;
export const claimsOf = (token: string): Claims => decodeJwt(token);

/** A token like `genuine`, with another id and these changes, signed with this key. A change to undefined removes the member. */
export async function forged(genuine: string, key: SigningKey | KeyObject | Uint8Array, changes: Changes = {}): Promise<string> {
  const { header = {}, claims = {} } = changes;
  const signer = "privateKey" in key ? key.privateKey : key;
  const kid = "kid" in key ? { kid: key.kid } : {};
  const payload = { ...claimsOf(genuine), jti: crypto.randomUUID(), ...claims };
  return new SignJWT(payload).setProtectedHeader({ ...headerOf(genuine), ...kid, ...header }).sign(signer, { crit: { urn: true } });
}

export type Changes = { header?: Record<string, unknown>; claims?: Record<string, unknown> };

/** A token of exactly these parts and this signature. */
export const assembled = (header: unknown, claims: unknown, signature = ""): string => `${encoded(header)}.${encoded(claims)}.${signature}`;

export const encoded = (part: unknown): string => Buffer.from(JSON.stringify(part)).toString("base64url");

/** Header, payload and signature as they stand in the token. */
export function partsOf(token: string): [string, string, string] {
  const [header = "", payload = "", signature = ""] = token.split(".");
  return [header, payload, signature];
}

/** PKCS #8, with or without something before it. */
function privateKeyOf(bytes: Buffer): KeyObject | null {
  try {
    return createPrivateKey({ key: bytes.subarray(Math.max(0, bytes.indexOf(0x30))), format: "der", type: "pkcs8" });
  } catch {
    return null;
  }
}
