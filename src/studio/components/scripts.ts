// The scripts of the studio's pages, as browsers get them.

import { readFileSync } from "node:fs";

/** Reads a page's script, after the part that all of them begin with. */
export function readScript(own: URL): string {
  return liveParts + readFileSync(own, "utf8");
}

const liveParts = readFileSync(new URL("live-parts.js", import.meta.url), "utf8");
