// The text of our keys: `<brand>_<kind>_` + 8 public + 32 secret base62 characters + 6 of checksum (interface 5.2).

import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/** `v1`: an API key. `o1`: an overlay key. */
export type KeyKind = "v1" | "o1";

export type KeyParts = Readonly<{
  /** The part that may be shown and looked up. */
  publicId: string;
  /** SHA-256 of the whole key: all that is ever stored. */
  hash: Buffer;
}>;

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const publicLength = 8;
const secretLength = 32;
const checksumLength = 6;

/** Makes a new key. Shown once; store only what `readKey` returns. */
export function makeKey(brand: string, kind: KeyKind): string {
  const key = `${brand}_${kind}_${randomBase62(publicLength + secretLength)}`;
  return key + checksum(key);
}

/** Takes a key apart; null for anything that can't be a key of this brand and kind, typing errors included (no database needed). */
export function readKey(brand: string, kind: KeyKind, text: string): KeyParts | null {
  const prefix = `${brand}_${kind}_`;
  const body = text.slice(0, -checksumLength);
  if (!text.startsWith(prefix) || text.length !== prefix.length + publicLength + secretLength + checksumLength) return null;
  if (!/^[0-9A-Za-z]+$/.test(text.slice(prefix.length)) || checksum(body) !== text.slice(-checksumLength)) return null;
  return { publicId: body.slice(prefix.length, prefix.length + publicLength), hash: createHash("sha256").update(text).digest() };
}

/** Random base62 from the system's generator, without bias. */
export function randomBase62(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join("");
}

/** CRC-32 of what precedes, as six base62 digits. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = "";
  for (let i = 0; i < checksumLength; i += 1) {
    digits = alphabet[rest % alphabet.length] + digits;
    rest = Math.floor(rest / alphabet.length);
  }
  return digits;
}
