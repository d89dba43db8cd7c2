// Creates and reads the text of API keys and overlay keys: `<brand>_<kind>_`, 8 public and 32 secret base62 characters, and a checksum
// of 6 (interface 5.2).

import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/** `v1`: an API key. `o1`: an overlay key. */
export type KeyKind = "v1" | "o1";

export type KeyParts = Readonly<{
  /** The part that may be shown, and by which the key is looked up. */
  publicId: string;
  /** SHA-256 of the whole key. The key itself is never stored. */
  hash: Buffer;
}>;

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const publicLength = 8;
const secretLength = 32;
const checksumLength = 6;

/** Creates a new key. It is shown once; only what `readKey` returns may be stored. */
export function makeKey(brand: string, kind: KeyKind): string {
  const key = `${brand}_${kind}_${randomBase62(publicLength + secretLength)}`;
  return key + checksum(key);
}

/** Splits a key into its parts. Null for a text that can't be a key of this brand and kind; the checksum detects typing errors without
 * a database. */
export function readKey(brand: string, kind: KeyKind, text: string): KeyParts | null {
  const prefix = `${brand}_${kind}_`;
  const body = text.slice(0, -checksumLength);
  if (!text.startsWith(prefix) || text.length !== prefix.length + publicLength + secretLength + checksumLength) return null;
  if (!/^[0-9A-Za-z]+$/.test(text.slice(prefix.length)) || checksum(body) !== text.slice(-checksumLength)) return null;
  return { publicId: body.slice(prefix.length, prefix.length + publicLength), hash: createHash("sha256").update(text).digest() };
}

/** Unbiased random base62 characters from the system's generator. */
export function randomBase62(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}

/** CRC-32 of the text, as six base62 digits. */
function checksum(text: string): string {
  let remainder = crc32(text);
  let digits = "";
  for (let i = 0; i < checksumLength; i += 1) {
    digits = alphabet[remainder % alphabet.length] + digits;
    remainder = Math.floor(remainder / alphabet.length);
  }
  return digits;
}
