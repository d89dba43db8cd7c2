// An overlay key as the server makes them.

import { randomInt } from "node:crypto";

import { base62, publicLength, secretLength, withChecksum } from "../harness/server/key-form.ts";

export function newOverlayKey(): { key: string; publicId: string } {
  const random = (length: number) => Array.from({ length }, () => base62[randomInt(base62.length)]).join("");
  const publicId = random(publicLength);
  return { key: withChecksum(`namjai_o1_${publicId}${random(secretLength)}`), publicId };
}
