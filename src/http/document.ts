// generated/openapi.json as it was generated.

import { readFileSync } from "node:fs";

/** Reads it anew: whoever asks may change what it gets. */
export function readContract() {
  return JSON.parse(readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8"));
}
