// An overlay key as the server makes them: 8 public and 32 secret base62 characters, and a CRC-32 as six base62 digits (interface 5.2).

import { randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

export function newOverlayKey(): { key: string; publicId: string } {
  const random = (length: number) => Array.from({ length }, () => digits[randomInt(62)]).join("");
  const publicId = random(8);
  const body = `namjai_o1_${publicId}${random(32)}`;
  return { key: body + checksum(body), publicId };
}

function checksum(text: string): string {
  let rest = crc32(text);
  let written = "";
  for (let i = 0; i < 6; i += 1) {
    written = digits[rest % 62] + written;
    rest = Math.floor(rest / 62);
  }
  return written;
}
