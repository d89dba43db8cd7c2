// Builds and changes keys of our server's form (interface 5.2): a prefix, 8 public and 32 secret base62 characters, a CRC-32 as six base62 digits.

import { crc32 } from "node:zlib";

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
