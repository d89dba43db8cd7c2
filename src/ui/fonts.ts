// Serves the Thai and Latin typeface Prompt, so that no page loads a font from another origin.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { FindFile, StaticFile } from "../http/files.ts";

const require = createRequire(import.meta.url);
const { version } = require("@fontsource/prompt/package.json") as { version: string };
const ranges = require("@fontsource/prompt/unicode.json") as Record<string, string>;

const faces = ["thai", "latin"].flatMap((subset) => [400, 600].map((weight) => ({ subset, weight })));
type Face = (typeof faces)[number];

const nameOf = ({ subset, weight }: Face) => `prompt-${subset}-${weight}-${version}.woff2`;

/** The @font-face rules. `folder` is the address of /fonts/ as the style sheet refers to it. Browsers load only the fonts that a page needs. */
export function fontFaces(folder: string): string {
  return faces
    .map(
      (face) => `@font-face {
  font-family: Prompt; font-style: normal; font-weight: ${face.weight}; font-display: swap;
  src: url(${folder}${nameOf(face)}) format("woff2"); unicode-range: ${ranges[face.subset]};
}`,
    )
    .join("\n");
}

/** The font files at /fonts/. */
export function fontFiles(): FindFile {
  const files = new Map(faces.map((face) => [`/fonts/${nameOf(face)}`, fontFile(face)]));
  return (path) => files.get(path);
}

function fontFile({ subset, weight }: Face): StaticFile {
  const body = readFileSync(require.resolve(`@fontsource/prompt/files/prompt-${subset}-${weight}-normal.woff2`));
  return { type: "font/woff2", body, cache: "immutable", headers: { "Cross-Origin-Resource-Policy": "same-origin" } };
}
