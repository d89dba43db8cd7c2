// Keys as the server makes them.

import { randomInt } from "node:crypto";

import { base62, publicLength, secretLength, withChecksum } from "../../suite/servers/key-form.ts";

type NewKey = { key: string; publicId: string };

export const newOverlayKey = (): NewKey => newKey("o1");
export const newApiKey = (): NewKey => newKey("v1");

function newKey(kind: "o1" | "v1"): NewKey {
  const random = (length: number) => Array.from({ length }, () => base62[randomInt(base62.length)]).join("");
  const publicId = random(publicLength);
  return { key: withChecksum(`namjai_${kind}_${publicId}${random(secretLength)}`), publicId };
}
