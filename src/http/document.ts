// Reads generated/openapi.json.

import { readFileSync } from "node:fs";

/** Each call returns a new object, which the caller may change. */
export function readContract() {
  return JSON.parse(readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8"));
}
