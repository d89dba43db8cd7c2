// Reads the documents that spec/ compiles to.

import { readFileSync } from "node:fs";

/** The contract as OpenAPI 3.1. Each call returns a new object, which the caller may change. */
export function readContract() {
  return readGenerated("openapi.json");
}

/** A file of generated/, by its name. */
export function readGenerated(name: "openapi.json" | "openapi-3.2.json" | "asyncapi.json") {
  return JSON.parse(readFileSync(new URL(`../../../generated/${name}`, import.meta.url), "utf8"));
}
